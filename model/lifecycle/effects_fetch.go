package lifecycle

import (
	"fmt"

	"vespe/model"
)

// A verdict is decided, then fetched, when whoever it is for has read it, then acted on. Only
// what is acted on cannot be taken back; that it was read is said to whoever takes it back.

var needVerdict = check{GuardInfo{model.GuardVerdict, "a verdict"}, func(s *step) *model.Refusal {
	if s.task.Status.Review != nil {
		return nil
	}
	return s.refuse(model.CodeRefused, model.GuardVerdict, "no one has decided on it", "wait for the verdict")
}}

// doFetchVerdict writes down who read the verdict first.
func doFetchVerdict(s *step) *model.Refusal {
	if s.task.Status.Review.FetchedBy != "" {
		s.quiet = true
		s.say("it was already read")
		return nil
	}
	v := s.note(s.op.UID).Status.Review
	v.FetchedBy, v.FetchedAt = s.op.Actor, s.op.At
	s.say(fmt.Sprintf("%s by %s", v.Verdict, v.By))
	return nil
}
