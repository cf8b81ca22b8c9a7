package lifecycle

import (
	"fmt"
	"strings"

	"vespe/model"
)

// ByHand is the person who does the work of a task in the files of its last run, so that the next run
// only verifies it; "" where a worker does. A run that ends well, a failure, another plan and another
// try take it back.
func ByHand(t *model.Task) model.Actor { return t.Status.ByHand }

func doReopen(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	st := &t.Status
	most := model.AttemptsOf(t, s.policy)
	st.RetryCount, st.ByHand = 0, ""
	byHand := model.ArgsOf[model.Reopening](&s.op).ByHand
	if byHand {
		st.RetryCount, st.ByHand = most-1, s.op.Actor
		s.detail(model.BoolField("by_hand", true))
	}
	to, r := s.takeBackFailure(t)
	switch {
	case r != nil:
		return r
	case st.ByHand != "":
		s.say(fmt.Sprintf("%s does the work by hand, and the next run verifies it", st.ByHand))
	case byHand:
		s.say("it can't be done by hand until its plan is accepted")
	case to == model.Working:
		s.say(fmt.Sprintf("attempt 1 of %d, ready to start", most))
	case st.AcceptedPlan != nil:
		s.say("its accepted plan is still valid")
	default:
		s.say("it is " + strings.ReplaceAll(string(to), "_", " "))
	}
	sayWaits(s, t)
	return s.reopenAbove(t)
}

// takeBackFailure brings a failed task back to the furthest state that its files support.
func (s *step) takeBackFailure(t *model.Task) (model.State, *model.Refusal) {
	t.Status.ErrorDetails, t.Status.FailedBy = "", ""
	to, r := s.retryState(t)
	if r == nil {
		s.to(t, to)
	}
	return to, r
}

// sayWaits says how many tasks wait for a task again.
func sayWaits(s *step, t *model.Task) {
	if n := s.openDependents(t.UID); n > 0 {
		s.say(fmt.Sprintf("%s %s for it again", model.Plural(n, "dependent", "dependents"), model.VerbFor(n, "waits", "wait")))
	}
}

// reopenAbove tells a parent that a child which had failed is open again. One that failed because of
// it is re-opened with it, and so on upwards; one that was held for it waits for it.
func (s *step) reopenAbove(t *model.Task) *model.Refusal {
	p := s.parent(t)
	if p == nil {
		return nil
	}
	if p.Status.CurrentState != model.Failed {
		if q, held := s.pending(model.SubtaskFailedKey(t.UID)); held && !p.IsFinal() {
			s.edit(p.UID)
			s.close(q)
			q.State = model.RequestSuperseded
			s.releaseHeld(q)
		}
		return s.reopened(t)
	}
	if p.Status.FailedBy != t.UID {
		return nil
	}
	p = s.edit(p.UID)
	to, r := s.takeBackFailure(p)
	if r != nil {
		return r
	}
	what := model.Quoted(p) + ", which failed with it, is open again"
	e := model.Event{Name: model.Reopen, UID: p.UID, Actor: SystemActor, From: model.Failed, To: to, Cause: t.UID}
	if to == model.Working && s.isOpen(t.UID) {
		s.await(p, t.UID)
		what += ", and waits for it"
		e.Details = model.Extra{model.TextField("subtask", string(t.UID))}
	}
	s.also(what)
	e.Summary = fmt.Sprintf("reopen %s: its subtask %s is open again", model.Quoted(p), model.Quoted(t))
	s.emit(e)
	s.keepProgress(p.UID)
	return s.reopenAbove(p)
}

// doSkip ends a failed task well, by the word of a person.
func doSkip(s *step) *model.Refusal {
	failed := s.task.Status.CurrentState == model.Failed
	t := s.edit(s.op.UID)
	if failed {
		s.to(t, model.Working) // a parent that failed with it waits for it, for a moment
		if r := s.reopenAbove(t); r != nil {
			return r
		}
	}
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand, t.Status.ChangedBecause = "", "", nil
	s.to(t, model.Completed)
	if r := s.recordResult(t, s.op.Reason); r != nil {
		return r
	}
	t.Status.Review = s.verdict("work", model.VerdictAccepted, t.Status.PlanRevision)
	plan, _, r := s.doc(t, model.Plan)
	if r != nil {
		return r
	}
	s.writeReview(t, plan.Hash)
	s.say(fmt.Sprintf("%s takes responsibility, and it is done", s.op.Actor))
	if r := s.resultSpread(t, true); r != nil {
		return r
	}
	return s.childEnded(t, true)
}

func doStopRun(s *step) *model.Refusal {
	t := s.edit(s.op.UID)
	s.endRun(t, model.RunCancelled)
	t.Status.AssignedAgentUID = ""
	s.say("no attempt is counted")
	if s.startable(t) {
		s.say("ready to start")
	}
	return nil
}
