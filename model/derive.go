package model

import (
	"strings"
)

// Met reports whether a dependency on t holds nothing back: it is
// completed, whatever its review, or aborted where the policy says that this is enough.
// A task that cannot be read is never met: what its files say is not to be trusted.
func (p Policy) Met(t *Task) bool {
	if t.Unreadable() {
		return false
	}
	switch t.Status.CurrentState {
	case Completed:
		return true
	case Aborted:
		return p.DependencyPolicy == "completed_or_aborted"
	}
	return false
}

// Unreadable reports a problem of Error severity in the task's own files.
func (t *Task) Unreadable() bool {
	for i := range t.Problems {
		if t.Problems[i].Severity == Error {
			return true
		}
	}
	return false
}

// IsReviewed reports that the work was accepted, which makes a completed task final.
func (t *Task) IsReviewed() bool {
	r := t.Status.Review
	return r != nil && r.Of == "work" && r.Verdict == "accepted"
}

// ownStatus is the word for t as far as its own files tell: the first status in
// the order of precedence that matches, with every dependency taken as met. held makes the whole word of it.
//
// A plan counts as accepted by status.json's accepted_plan only. A task that is
// `working` without it was put there from outside: nobody approved what it
// would do, so it reads as a plan to review, or as planning when there is none.
func ownStatus(t *Task, rules RulesHashes) Status {
	st := &t.Status
	if t.Unreadable() {
		return StatusProblem
	}
	switch st.CurrentState {
	case Aborted, Failed, Errored:
		return StatusOf(t, false)
	case Completed, PlanDefined, Working, ObjectiveDefined, Replanned, Created, "":
	default:
		return StatusProblem // none of the nine states
	}
	return StatusOf(t, len(ChangesOf(t, rules)) > 0)
}

// StatusOf is the status of a readable task as far as its own files tell, in the order of precedence; changed is whether
// it has changed since it was accepted.
func StatusOf(t *Task, changed bool) Status {
	st := &t.Status
	switch st.CurrentState {
	case Aborted:
		return StatusAborted
	case Failed:
		return StatusFailed
	case Errored:
		return StatusError
	}
	switch {
	case changed:
		return StatusChanged
	case st.CurrentState == Completed && (t.IsReviewed() || st.Review == nil && t.Drafts()):
		return StatusDone // final: a pause that an older system left in the file could never be taken back
	case st.IsPaused:
		return pausedStatus(st)
	case st.CurrentState == Completed:
		return StatusReviewWork
	}
	return goingFrom(t, st.CurrentState)
}

// mayBeAccepted reports that a task whose own word this is can be changed by other terms, or is
// because of them.
func (s Status) mayBeAccepted() bool {
	switch s {
	case StatusChanged, StatusWaiting, StatusPaused, StatusSubtasks, StatusReviewWork, StatusRunning, StatusReady:
		return true
	}
	return false
}

func pausedStatus(st *StatusFile) Status {
	switch st.PauseKind() {
	case "hitl":
		return StatusWaiting
	case "subtasks":
		return StatusSubtasks
	}
	return StatusPaused
}

// goingFrom is ownStatus for a task that has not ended and that no flag stops, as if it was in a state.
func goingFrom(t *Task, state State) Status {
	st := &t.Status
	switch state {
	case PlanDefined, Working:
	case ObjectiveDefined:
		return StatusPlanning
	case Replanned:
		return StatusReplan
	default:
		return StatusCreated
	}
	switch {
	case st.AcceptedPlan == nil && (t.HasPlan || st.PlanRevision > 0):
		return StatusReviewPlan
	case st.AcceptedPlan == nil:
		return StatusPlanning
	case state == Working && st.CurrentRun != "":
		return StatusRunning
	}
	return StatusReady
}

// held is the word for a task whose own is s: unmet says that a dependency of it is not
// met or that it may not begin below what it is part of, cyclic that it is in a cycle, which blocks it
// whatever it is about to do.
//
// `blocked` takes precedence over `running`, so a live run does not hide that a
// dependency has come undone under it.
func (s Status) held(unmet, cyclic bool) Status {
	switch s {
	case StatusReady, StatusRunning:
		if unmet || cyclic {
			return StatusBlocked
		}
	case StatusReplan, StatusPlanning, StatusCreated:
		if cyclic {
			return StatusBlocked
		}
	}
	return s
}

// Open reports whether work on a task of this status is still to be done or judged:
// every status but done, failed and aborted.
func (s Status) Open() bool {
	return s != StatusDone && s != StatusFailed && s != StatusAborted
}

// NeedsPerson reports whether the status is one that only a person can move on:
// a plan or work to review, an answer to give, a change to judge.
func (s Status) NeedsPerson() bool {
	switch s {
	case StatusReviewPlan, StatusReviewWork, StatusWaiting, StatusChanged:
		return true
	}
	return false
}

// worstOrder is the order of badness behind Worst, which is not the order of precedence:
// what is broken comes first, then what waits for a person, then what is stuck, then
// what goes its way. `subtasks` says nothing that the children do not say better, and
// done and aborted are not bad at all, so these are told only when nothing else is
// there.
var worstOrder = [NumStatuses]Status{
	StatusProblem, StatusFailed, StatusError, StatusChanged,
	StatusWaiting, StatusReviewPlan, StatusReviewWork,
	StatusBlocked, StatusPaused, StatusReplan,
	StatusRunning, StatusReady, StatusPlanning, StatusCreated, StatusSubtasks,
	StatusDone, StatusAborted,
}

// WorstFirst lists every status in the order of badness that Worst uses, as a fresh
// slice.
func WorstFirst() []Status {
	return append([]Status(nil), worstOrder[:]...)
}

// Worst is the worst status that c counts, in the order of WorstFirst; StatusCreated
// when it counts nothing.
func (c *Counts) Worst() Status {
	for _, st := range worstOrder {
		if c[st] > 0 {
			return st
		}
	}
	return StatusCreated
}

// Sum is how many tasks c counts.
func (c *Counts) Sum() int {
	n := 0
	for _, k := range c {
		n += int(k)
	}
	return n
}

func (c *Counts) add(d *Counts) {
	for i, k := range d {
		c[i] += k
	}
}

// Met reports whether a dependency on task i holds nothing back.
func (s *Snapshot) Met(i int) bool { return s.facts[i]&isMet != 0 }

// UnderWay is how many tasks c counts that somebody began and nobody has judged yet: running, kept
// from running, or waiting for the review of the work.
func (c *Counts) UnderWay() int {
	return int(c[StatusRunning] + c[StatusSubtasks] + c[StatusWaiting] + c[StatusPaused] + c[StatusError] + c[StatusReviewWork])
}

// IsLeftOut reports that the task is paused because a person has left it out of a plan, or one above it.
func (t *Task) IsLeftOut() bool {
	return t.Status.IsPaused && strings.HasPrefix(t.Status.PauseReason, ExcludedReason)
}

// HasStandingAcceptance reports that a task can become changed: it is accepted and not over for good.
func (t *Task) HasStandingAcceptance() bool {
	return t.Status.AcceptedPlan != nil && !t.Status.AcceptedPlan.IsElsewhere() && !t.IsFinal() && !t.Unreadable()
}

// IsFinal reports that no transition leads out: failed, aborted, or completed and
// reviewed.
func (t *Task) IsFinal() bool {
	switch t.Status.CurrentState {
	case Failed, Aborted:
		return true
	case Completed:
		return t.IsReviewed()
	}
	return false
}

// Ended reports that a task is over for its parent: completed, whatever its review,
// failed or aborted.
func (t *Task) Ended() bool {
	switch t.Status.CurrentState {
	case Completed, Failed, Aborted:
		return true
	}
	return false
}
