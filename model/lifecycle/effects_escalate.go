package lifecycle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// ownKeys begin the keys of what vespe itself asks when a transition brings it about; no other
// escalation may have them.
var ownKeys = []string{model.AttemptsKey(""), model.DepFailedKey(""), model.SubtaskFailedKey(""), startConsent}

// escalated is the escalation of the loop with a key: one that waits or was answered.
func (s *step) escalated(key string) (model.Request, bool) {
	for _, r := range slices.Backward(s.w.Requests()) {
		if r.TaskUID == s.op.UID && r.Key == key && isEscalated(&r) && r.State != model.RequestSuperseded {
			return r, true
		}
	}
	return model.Request{}, false
}

// isEscalated says whether a request was filed by escalate.
func isEscalated(q *model.Request) bool {
	return q.Kind == model.KindEscalation && q.CreatedBy.Kind() == model.System && q.Key != "" &&
		!slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(q.Key, own) })
}

var (
	needEscalation = check{GuardInfo{model.GuardKey, "a key that identifies its subject"}, func(s *step) *model.Refusal {
		n := model.ArgsOf[model.NewRequest](&s.op)
		switch {
		case s.op.Args == nil:
			return nil // the next guard says so
		case strings.TrimSpace(n.Key) == "":
			return s.refuse(model.CodeInvalid, model.GuardKey, "it has no key, so it would be asked again and again", "give it one")
		case slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(n.Key, own) }):
			return s.refuse(model.CodeInvalid, model.GuardKey, fmt.Sprintf("keys that begin with this are reserved: %s", model.Quote(n.Key)), "use another key")
		case requestKind(&n) != model.KindEscalation && n.Kind != "":
			return s.refuse(model.CodeInvalid, model.GuardKey, "only escalations can be escalated", "ask it instead")
		}
		return nil
	}}
	needSettleable = check{GuardInfo{model.GuardRequest, "an escalation by the loop, or a call that its client waits for"}, func(s *step) *model.Refusal {
		if s.trial && model.ArgsOf[model.Settlement](&s.op) == (model.Settlement{}) {
			return nil
		}
		if _, ok := settling(s); !ok {
			return s.refuse(model.CodeNotFound, model.GuardRequest, "no such escalation or call", "there is nothing to do")
		}
		return nil
	}}
)

// settling is the escalation that settle names: by its id, or by its key.
func settling(s *step) (model.Request, bool) {
	by := model.ArgsOf[model.Settlement](&s.op)
	if by.Request != "" {
		q, ok := s.requestOf(by.Request)
		return q, ok && (isEscalated(&q) || q.IsCall()) && (s.op.UID == "" || q.TaskUID == s.op.UID)
	}
	return s.escalated(by.Key)
}

// doEscalate files an escalation. The same key about the same task is the same one, for as long as it
// waits and once it was answered: then somebody knows.
func doEscalate(s *step) *model.Refusal {
	n := model.ArgsOf[model.NewRequest](&s.op)
	if r, ok := s.escalated(n.Key); ok {
		s.quiet = true
		s.tx.request = r.ID
		s.head = fmt.Sprintf("escalate %s: already asked", model.Quote(r.Title))
		s.say(decidedBy(&r))
		return nil
	}
	sum := sha256.Sum256([]byte(string(s.op.UID) + "\x00" + n.Key + "\x00" + s.tx.op.ID))
	q := model.Request{
		ID: model.EscalationPrefix + hex.EncodeToString(sum[:8]), TaskUID: s.op.UID, Kind: model.KindEscalation, Title: strings.TrimSpace(n.Title),
		Detail: n.Detail, Options: slices.Clone(n.Options), Args: bytes.Clone(n.Args), Allow: slices.Clone(n.Allow),
		Risk: n.Risk, State: model.RequestPending, CreatedAt: s.op.At, CreatedBy: s.op.Actor, ExpiresAt: n.ExpiresAt.UTC(), Key: n.Key,
	}
	s.tx.request = q.ID
	s.head = "escalate " + model.Quote(q.Title)
	if s.task != nil {
		s.head += " about " + model.Quoted(s.task)
	}
	if n.Holds {
		q.ID = NewRequestID(s.op.UID, n.Key, s.tx.op.ID)
		s.tx.request = q.ID
		s.putHeld(q)
	} else {
		s.put(q)
	}
	s.noted(q.TaskUID)
	sayHeld(s)
	s.detail(model.TextField("request", q.ID))
	s.detail(model.TextField("kind", q.Kind))
	s.detail(model.TextField("title", q.Title))
	s.detail(model.TextField("key", q.Key))
	return nil
}

func doSettle(s *step) *model.Refusal {
	q, _ := settling(s)
	s.tx.request = q.ID
	if !q.IsOpen() {
		s.quiet = true
		s.head = fmt.Sprintf("settle %s: it is %s", model.Quote(q.Title), decidedBy(&q))
		return nil
	}
	s.head = "settle " + model.Quote(q.Title)
	if s.task != nil {
		s.head += " of " + model.Quoted(s.task)
	}
	s.say("no decision is needed")
	s.close(q)
	s.noted(q.TaskUID)
	sayHeld(s)
	s.detail(model.TextField("request", q.ID))
	return nil
}
