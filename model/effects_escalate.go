package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// ownKeys begin the keys of what vespe itself asks when a transition brings it about; no other
// escalation may have them.
var ownKeys = []string{AttemptsKey(""), DepFailedKey(""), SubtaskFailedKey(""), startConsent}

// escalated is the escalation of the loop with a key: one that waits or was answered.
func (s *step) escalated(key string) (Request, bool) {
	for _, r := range slices.Backward(s.w.Requests()) {
		if r.TaskUID == s.op.UID && r.Key == key && isEscalated(&r) && r.State != RequestSuperseded {
			return r, true
		}
	}
	return Request{}, false
}

// isEscalated says whether a request was filed by escalate.
func isEscalated(q *Request) bool {
	return q.Kind == KindEscalation && q.CreatedBy.Kind() == System && q.Key != "" &&
		!slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(q.Key, own) })
}

var (
	needEscalation = check{GuardInfo{GuardKey, "a key that identifies its subject"}, func(s *step) *Refusal {
		n := ArgsOf[NewRequest](&s.op)
		switch {
		case s.op.Args == nil:
			return nil // the next guard says so
		case strings.TrimSpace(n.Key) == "":
			return s.refuse(CodeInvalid, GuardKey, "it has no key, so it would be asked again and again", "give it one")
		case slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(n.Key, own) }):
			return s.refuse(CodeInvalid, GuardKey, fmt.Sprintf("keys that begin with this are reserved: %s", Quote(n.Key)), "use another key")
		case requestKind(&n) != KindEscalation && n.Kind != "":
			return s.refuse(CodeInvalid, GuardKey, "only escalations can be escalated", "ask it instead")
		}
		return nil
	}}
	needSettleable = check{GuardInfo{GuardRequest, "an escalation by the loop, or a call that its client waits for"}, func(s *step) *Refusal {
		if s.trial && ArgsOf[Settlement](&s.op) == (Settlement{}) {
			return nil
		}
		if _, ok := s.settling(); !ok {
			return s.refuse(CodeNotFound, GuardRequest, "no such escalation or call", "there is nothing to do")
		}
		return nil
	}}
)

// settling is the escalation that settle names: by its id, or by its key.
func (s *step) settling() (Request, bool) {
	by := ArgsOf[Settlement](&s.op)
	if by.Request != "" {
		q, ok := s.requestOf(by.Request)
		return q, ok && (isEscalated(&q) || q.IsCall()) && (s.op.UID == "" || q.TaskUID == s.op.UID)
	}
	return s.escalated(by.Key)
}

// doEscalate files an escalation. The same key about the same task is the same one, for as long as it
// waits and once it was answered: then somebody knows.
func doEscalate(s *step) *Refusal {
	n := ArgsOf[NewRequest](&s.op)
	if r, ok := s.escalated(n.Key); ok {
		s.quiet = true
		s.tx.request = r.ID
		s.head = fmt.Sprintf("escalate %s: already asked", Quote(r.Title))
		s.say(decidedBy(&r))
		return nil
	}
	sum := sha256.Sum256([]byte(string(s.op.UID) + "\x00" + n.Key + "\x00" + s.tx.op.ID))
	q := Request{
		ID: EscalationPrefix + hex.EncodeToString(sum[:8]), TaskUID: s.op.UID, Kind: KindEscalation, Title: strings.TrimSpace(n.Title),
		Detail: n.Detail, Options: slices.Clone(n.Options), Args: bytes.Clone(n.Args), Allow: slices.Clone(n.Allow),
		Risk: n.Risk, State: RequestPending, CreatedAt: s.op.At, CreatedBy: s.op.Actor, ExpiresAt: n.ExpiresAt.UTC(), Key: n.Key,
	}
	s.tx.request = q.ID
	s.head = "escalate " + Quote(q.Title)
	if s.task != nil {
		s.head += " about " + Quoted(s.task)
	}
	if n.Holds {
		q.ID = NewRequestID(s.op.UID, n.Key, s.tx.op.ID)
		s.tx.request = q.ID
		s.putHeld(q)
	} else {
		s.put(q)
	}
	s.noted(q.TaskUID)
	s.sayHeld()
	s.detail(TextField("request", q.ID))
	s.detail(TextField("kind", q.Kind))
	s.detail(TextField("title", q.Title))
	s.detail(TextField("key", q.Key))
	return nil
}

func doSettle(s *step) *Refusal {
	q, _ := s.settling()
	s.tx.request = q.ID
	if !q.IsOpen() {
		s.quiet = true
		s.head = fmt.Sprintf("settle %s: it is %s", Quote(q.Title), decidedBy(&q))
		return nil
	}
	s.head = "settle " + Quote(q.Title)
	if s.task != nil {
		s.head += " of " + Quoted(s.task)
	}
	s.say("no decision is needed")
	s.close(q)
	s.noted(q.TaskUID)
	s.sayHeld()
	s.detail(TextField("request", q.ID))
	return nil
}
