package lifecycle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// ownKeys begin the keys of what vespe itself asks when a transition brings it about; no other
// escalation may have them.
var ownKeys = []string{model.AttemptsKey(""), model.DepFailedKey(""), model.SubtaskFailedKey(""), startConsent}

// escalated is the escalation of the loop with a key: one that waits or was answered.
func escalated(s *machine.Step, key string) (model.Request, bool) {
	for _, r := range slices.Backward(s.World.Requests()) {
		if r.TaskUID == s.Op.UID && r.Key == key && isEscalated(&r) && r.State != model.RequestSuperseded {
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
	needEscalation = machine.Need(model.GuardKey, "a key that identifies its subject", func(s *machine.Step) *model.Refusal {
		n := model.ArgsOf[model.NewRequest](&s.Op)
		switch {
		case s.Op.Args == nil:
			return nil // the next guard says so
		case strings.TrimSpace(n.Key) == "":
			return s.Refuse(model.CodeInvalid, model.GuardKey, "it has no key, so it would be asked again and again", "give it one")
		case slices.ContainsFunc(ownKeys, func(own string) bool { return strings.HasPrefix(n.Key, own) }):
			return s.Refuse(model.CodeInvalid, model.GuardKey, fmt.Sprintf("keys that begin with this are reserved: %s", model.Quote(n.Key)), "use another key")
		case requestKind(&n) != model.KindEscalation && n.Kind != "":
			return s.Refuse(model.CodeInvalid, model.GuardKey, "only escalations can be escalated", "ask it instead")
		}
		return nil
	})
	needSettleable = machine.Need(model.GuardRequest, "an escalation by the loop, or a call that its client waits for", func(s *machine.Step) *model.Refusal {
		if s.Trial && model.ArgsOf[model.Settlement](&s.Op) == (model.Settlement{}) {
			return nil
		}
		if _, ok := settling(s); !ok {
			return s.Refuse(model.CodeNotFound, model.GuardRequest, "no such escalation or call", "there is nothing to do")
		}
		return nil
	})
)

// settling is the escalation that settle names: by its id, or by its key.
func settling(s *machine.Step) (model.Request, bool) {
	by := model.ArgsOf[model.Settlement](&s.Op)
	if by.Request != "" {
		q, ok := s.RequestOf(by.Request)
		return q, ok && (isEscalated(&q) || q.IsCall()) && (s.Op.UID == "" || q.TaskUID == s.Op.UID)
	}
	return escalated(s, by.Key)
}

// doEscalate files an escalation. The same key about the same task is the same one, for as long as it
// waits and once it was answered: then somebody knows.
func doEscalate(s *machine.Step) *model.Refusal {
	n := model.ArgsOf[model.NewRequest](&s.Op)
	if r, ok := escalated(s, n.Key); ok {
		s.Quiet = true
		s.Tx.Request = r.ID
		s.Head = fmt.Sprintf("escalate %s: already asked", model.Quote(r.Title))
		s.Say(decidedBy(&r))
		return nil
	}
	sum := sha256.Sum256([]byte(string(s.Op.UID) + "\x00" + n.Key + "\x00" + s.Tx.Op.ID))
	q := model.Request{
		ID: model.EscalationPrefix + hex.EncodeToString(sum[:8]), TaskUID: s.Op.UID, Kind: model.KindEscalation, Title: strings.TrimSpace(n.Title),
		Detail: n.Detail, Options: slices.Clone(n.Options), Args: bytes.Clone(n.Args), Allow: slices.Clone(n.Allow),
		Risk: n.Risk, State: model.RequestPending, CreatedAt: s.Op.At, CreatedBy: s.Op.Actor, ExpiresAt: n.ExpiresAt.UTC(), Key: n.Key,
	}
	s.Tx.Request = q.ID
	s.Head = "escalate " + model.Quote(q.Title)
	if s.Task != nil {
		s.Head += " about " + model.Quoted(s.Task)
	}
	if n.Holds {
		q.ID = NewRequestID(s.Op.UID, n.Key, s.Tx.Op.ID)
		s.Tx.Request = q.ID
		putHeld(s.Tx, q)
	} else {
		put(s.Tx, q)
	}
	noted(s.Tx, q.TaskUID)
	sayHeld(s)
	s.Detail(model.TextField("request", q.ID))
	s.Detail(model.TextField("kind", q.Kind))
	s.Detail(model.TextField("title", q.Title))
	s.Detail(model.TextField("key", q.Key))
	return nil
}

func doSettle(s *machine.Step) *model.Refusal {
	q, _ := settling(s)
	s.Tx.Request = q.ID
	if !q.IsOpen() {
		s.Quiet = true
		s.Head = fmt.Sprintf("settle %s: it is %s", model.Quote(q.Title), decidedBy(&q))
		return nil
	}
	s.Head = "settle " + model.Quote(q.Title)
	if s.Task != nil {
		s.Head += " of " + model.Quoted(s.Task)
	}
	s.Say("no decision is needed")
	close(s.Tx, q)
	noted(s.Tx, q.TaskUID)
	sayHeld(s)
	s.Detail(model.TextField("request", q.ID))
	return nil
}
