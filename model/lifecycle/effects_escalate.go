package lifecycle

import (
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
		askedAlready(s, &r)
		return nil
	}
	id := NewRequestID(s.Op.UID, n.Key, s.Tx.Op.ID)
	if !n.Holds {
		sum := sha256.Sum256([]byte(string(s.Op.UID) + "\x00" + n.Key + "\x00" + s.Tx.Op.ID))
		id = model.EscalationPrefix + hex.EncodeToString(sum[:8])
	}
	q := fileAsked(s, "escalate", id, model.KindEscalation, n.Holds)
	s.Detail(model.TextField("key", q.Key))
	return nil
}

func doSettle(s *machine.Step) *model.Refusal {
	q, _ := settling(s)
	s.Tx.Request = q.ID
	if !q.IsOpen() {
		s.Quiet = true
		s.Deed.Object = fmt.Sprintf("nothing to settle: %s is %s", model.Quote(q.Title), decidedBy(&q))
		return nil
	}
	s.Deed = model.Deed{Verb: "settle", Object: model.Quote(q.Title)}
	if s.Task != nil {
		s.Deed.Object += " about " + model.Quoted(s.Task)
	}
	s.Say(machine.NothingToDecide)
	close(s.Tx, q)
	noted(s.Tx, q.TaskUID)
	sayHeld(s)
	s.Detail(model.TextField("request", q.ID))
	return nil
}
