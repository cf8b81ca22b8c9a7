package lifecycle

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// ByHand is the person who does the work of a task in the files of its last run, so that the next run
// only verifies it; "" where a worker does. A run that ends well, a failure, another plan and another
// try take it back.
func ByHand(t *model.Task) model.Actor { return t.Status.ByHand }

func doReopen(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	st := &t.Status
	most := model.AttemptsOf(t, s.Policy)
	st.RetryCount, st.ByHand = 0, ""
	byHand := model.ArgsOf[model.Reopening](&s.Op).ByHand
	if byHand {
		st.RetryCount, st.ByHand = most-1, s.Op.Actor
		s.Detail(model.BoolField("by_hand", true))
	}
	to, r := takeBackFailure(s, t)
	switch {
	case r != nil:
		return r
	case st.ByHand != "":
		s.Say(machine.ByHand, st.ByHand)
	case byHand:
		s.Say(machine.NotByHand)
	case to == model.Working:
		s.Say(machine.FirstAttempt, most)
	case st.AcceptedPlan != nil:
		s.Say(machine.PlanStillAccepted)
	default:
		s.SayState(to)
	}
	sayWaits(s, t, " again")
	return reopenAbove(s, t)
}

// takeBackFailure brings a failed task back to the furthest state that its files support.
func takeBackFailure(s *machine.Step, t *model.Task) (model.State, *model.Refusal) {
	t.Status.ErrorDetails, t.Status.FailedBy = "", ""
	to, r := retryState(s, t)
	if r == nil {
		s.To(t, to)
	}
	return to, r
}

// sayWaits says how many tasks wait for a task; once more is " again", or "".
func sayWaits(s *machine.Step, t *model.Task, again string) {
	if n := binding.OpenDependents(s.Tx, t.UID); n > 0 {
		s.Say(machine.TasksWait, model.Plural(n, "task waits", "tasks wait"), again)
	}
}

// reopenAbove tells a parent that a child which had failed is open again. One that failed because of
// it is re-opened with it, and so on upwards; one that was held for it waits for it.
func reopenAbove(s *machine.Step, t *model.Task) *model.Refusal {
	p := s.Parent(t)
	if p == nil {
		return nil
	}
	if p.Status.CurrentState != model.Failed {
		if q, held := pending(s.Tx, model.SubtaskFailedKey(t.UID)); held && !p.IsFinal() {
			s.Edit(p.UID)
			close(s.Tx, q)
			q.State = model.RequestSuperseded
			releaseHeld(s.Tx, q)
		}
		return reopened(s, t)
	}
	if p.Status.FailedBy != t.UID {
		return nil
	}
	p = s.Edit(p.UID)
	to, r := takeBackFailure(s, p)
	if r != nil {
		return r
	}
	what := machine.OpensAgain
	e := model.Event{Name: model.Reopen, UID: p.UID, Actor: model.SystemActor, From: model.Failed, To: to, Cause: t.UID}
	if to == model.Working && s.IsOpen(t.UID) {
		await(p, t.UID)
		what = machine.OpensAndWaits
		e.Details = model.Extra{model.TextField("subtask", string(t.UID))}
	}
	s.Also(what, p)
	e.Summary = fmt.Sprintf("Reopened %s: its subtask %s is open again", model.Quoted(p), model.Quoted(t))
	s.Emit(e)
	keepProgress(s.Tx, p.UID)
	return reopenAbove(s, p)
}

// doSkip ends a failed task well, by the word of a person.
func doSkip(s *machine.Step) *model.Refusal {
	failed := s.Task.Status.CurrentState == model.Failed
	t := s.Edit(s.Op.UID)
	if failed {
		s.To(t, model.Working) // a parent that failed with it waits for it, for a moment
		if r := reopenAbove(s, t); r != nil {
			return r
		}
	}
	clearFlags(t)
	t.Status.ErrorDetails, t.Status.ByHand, t.Status.ChangedBecause = "", "", nil
	s.To(t, model.Completed)
	if r := recordResult(s, t, s.Op.Reason); r != nil {
		return r
	}
	t.Status.Review = verdict(s, "work", model.VerdictAccepted, t.Status.PlanRevision)
	plan, _, r := s.Doc(t, model.Plan)
	if r != nil {
		return r
	}
	binding.WriteReview(s, t, plan.Hash)
	s.Say(machine.TakesResponsibility, s.Op.Actor)
	if r := binding.ResultSpread(s, t, true); r != nil {
		return r
	}
	return childEnded(s.Tx, t, true)
}

func doStopRun(s *machine.Step) *model.Refusal {
	t := s.Edit(s.Op.UID)
	endRun(s, t, model.RunCanceled)
	t.Status.AssignedAgentUID = ""
	s.Say(machine.NotCounted)
	if binding.Startable(s.Tx, t) {
		s.Say(machine.CanStart)
	}
	return nil
}
