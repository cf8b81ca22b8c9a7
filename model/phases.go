package model

import (
	"strings"
)

// The three predefined phases of a parent: spec.context.phase of a child. They need no review of
// their own. The first two only draft the parent's objective and plan, and end once the parent has
// them. The last gets its plan, which is the same for every task, with the parent's plan, and one
// acceptance is for both.
const (
	PhaseObjective = "define_objective"
	PhasePlan      = "create_plan"
	PhaseSubtasks  = "create_subtasks"
)

// Phases are the phases in their order.
var Phases = []string{PhaseObjective, PhasePlan, PhaseSubtasks}

// PhaseSpec is the specification of the task that drafts a phase.
func PhaseSpec(phase string) *Spec { return &Spec{Context: Extra{TextField("phase", phase)}} }

// Phase is the predefined phase that a task is for its parent: one of the constants, or
// "" for every other task.
func (t *Task) Phase() string {
	if t.Spec == nil || t.Config.ParentUID == "" {
		return ""
	}
	for _, f := range t.Spec.Context {
		if f.Key != "phase" {
			continue
		}
		for _, p := range Phases {
			if strings.Trim(string(f.Value), `"`) == p {
				return p
			}
		}
	}
	return ""
}

// Drafts reports a phase that drafts a text of its parent and that nobody worked on by a plan of its
// own: what it leaves is reviewed with the parent.
func (t *Task) Drafts() bool {
	p := t.Phase()
	return (p == PhaseObjective || p == PhasePlan) && t.Status.AcceptedPlan == nil && t.Status.PlanRevision == 0 && !t.HasPlan && t.Status.Runs == 0
}

// IsUntouchedPhase reports an open phase whose terms, revisions and flags are those that vespe gave it.
func (t *Task) IsUntouchedPhase() bool {
	st := &t.Status
	return t.Phase() != "" && !t.Unreadable() && !t.Ended() && !st.IsPaused && st.AcceptedPlan == nil && st.CurrentRun == "" &&
		st.ObjectiveRevision == 1 && st.PlanRevision <= 1 && st.Review == nil && st.Comments == nil &&
		SpecHash(t.Spec) == SpecHash(PhaseSpec(t.Phase()))
}

// PlannedWithParent reports a phase that needs no plan from anybody: its parent's is enough.
func (t *Task) PlannedWithParent() bool {
	return t.IsUntouchedPhase() && t.Status.CurrentState == ObjectiveDefined
}
