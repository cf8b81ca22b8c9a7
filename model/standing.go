package model

import (
	"strings"
)

// Unreadable reports a problem of Error severity in the task's own files.
func (t *Task) Unreadable() bool { return HasError(t.Problems) }

// HasError says whether one of some problems is an error.
func HasError(ps []Problem) bool {
	for i := range ps {
		if ps[i].Severity == Error {
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

// IsLeftOut reports that the task is paused because a person has left it out of a plan, or one above it.
func (t *Task) IsLeftOut() bool {
	return t.Status.IsPaused && strings.HasPrefix(t.Status.PauseReason, ExcludedReason)
}

// HasStandingAcceptance reports that a task can become changed: it is accepted and not over for good.
func (t *Task) HasStandingAcceptance() bool {
	return t.Status.AcceptedPlan != nil && !t.Status.AcceptedPlan.IsElsewhere() && !t.IsFinal() && !t.Unreadable()
}

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
