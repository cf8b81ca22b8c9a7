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
