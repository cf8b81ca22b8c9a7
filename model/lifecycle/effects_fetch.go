package lifecycle

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// A verdict is decided, then fetched, when whoever it is for has read it, then acted on. Only
// what is acted on cannot be taken back; that it was read is said to whoever takes it back.

var needVerdict = machine.Need(model.GuardVerdict, "a verdict", func(s *machine.Step) *model.Refusal {
	if s.Task.Status.Review != nil {
		return nil
	}
	return s.Refuse(model.CodeRefused, model.GuardVerdict, "no one has decided on it", "wait for the verdict")
})

// doFetchVerdict writes down who read the verdict first.
func doFetchVerdict(s *machine.Step) *model.Refusal {
	if s.Task.Status.Review.FetchedBy != "" {
		s.Quiet = true
		s.Say(machine.AlreadyRead)
		return nil
	}
	v := s.Note(s.Op.UID).Status.Review
	v.FetchedBy, v.FetchedAt = s.Op.Actor, s.Op.At
	s.Say(machine.DecidedAs, fmt.Sprintf("%s by %s", v.Verdict, v.By))
	return nil
}
