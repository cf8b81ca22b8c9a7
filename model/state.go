package model

// ParseState reads a state in any of its spellings: plan_defined,
// PlanDefined, PLAN_DEFINED, plan-defined. It also reads the older vocabulary, whose
// words say more than a state does:
//
//	planning → objective_defined
//	ready    → plan_defined, accepted
//	blocked  → plan_defined, accepted (that it is blocked is derived)
//	started  → working
//	paused   → working, paused
//	changed  → plan_defined, changed
//	done     → completed
//
// ok is false for any other word, and st is then "".
func ParseState(s string) (st State, paused, changed, accepted, ok bool) {
	if st, ok = exactState(s); ok {
		return st, false, false, false, true
	}
	switch word := FoldWord(s); word {
	case "created", "working", "error", "failed", "completed", "replanned", "aborted":
		st, ok = exactState(word)
	case "objectivedefined", "planning":
		st, ok = ObjectiveDefined, true
	case "plandefined":
		st, ok = PlanDefined, true
	case "ready", "blocked":
		st, accepted, ok = PlanDefined, true, true
	case "started":
		st, ok = Working, true
	case "paused":
		st, paused, ok = Working, true, true
	case "changed":
		st, changed, ok = PlanDefined, true, true
	case "done":
		st, ok = Completed, true
	}
	return st, paused, changed, accepted, ok
}

// Known says whether it is one of the nine states.
func (s State) Known() bool { _, ok := exactState(string(s)); return ok }

// exactState returns the constant itself, so that a decoded state does not keep the
// file's bytes alive.
func exactState(s string) (State, bool) {
	switch State(s) {
	case Created:
		return Created, true
	case ObjectiveDefined:
		return ObjectiveDefined, true
	case PlanDefined:
		return PlanDefined, true
	case Working:
		return Working, true
	case Errored:
		return Errored, true
	case Failed:
		return Failed, true
	case Completed:
		return Completed, true
	case Replanned:
		return Replanned, true
	case Aborted:
		return Aborted, true
	}
	return "", false
}

// StepForward is what a person does next with a task in a state, as a request; "" in an unknown one.
func StepForward(st State) string { return stepForward[st] }

// stepForward is the next step of the lifecycle from each state.
var stepForward = map[State]string{
	Created:          "define its objective first",
	ObjectiveDefined: "define its plan first",
	PlanDefined:      "ask a person to accept its plan first",
	Working:          "complete the work first",
	Errored:          "retry it, or replan it",
	Completed:        "accept or reject the work",
	Replanned:        "define a new plan first",
	Failed:           "a person can reopen or skip it; or create a new task for the remaining work",
	Aborted:          "create a new task for the rest of the work",
}

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
