package model

import (
	"strings"
)

// Decompose makes subtasks of a task: those that its accepted plan lists, or parts of its own files and criteria.
const Decompose Name = "decompose"

// What older logs call it, by where the subtasks came from.
const (
	oldSplit     Name = "split"
	oldBreakDown Name = "break_down"
)

// IsDecompose reports whether n names a decomposition, as it is called now or as older logs call it.
func IsDecompose(n Name) bool { return n == Decompose || n == oldSplit || n == oldBreakDown }

// SplitFromKey is the member of spec.context that names the task which a subtask was made of.
const SplitFromKey = "split_from"

// Decomposition is what decompose needs: the subtasks that are to be made. Those of a plan name what they wait for.
// Parts of the task's own work are done in turn.
type Decomposition struct {
	Plan     string // hash of the plan that lists them, which has to be the accepted one; "" for parts of the work
	Subtasks []Subtask
}

// Subtask is a subtask that is to be made. Its uid is chosen by the caller (the store fills it in when it is
// empty). Of a part of the task's work, only Name and what Spec says of files and criteria count.
type Subtask struct {
	UID       UID
	Name      string
	Spec      *Spec
	Key       string // what the plan calls it; kept in spec.json with the plan's hash (Task.PlannedBy)
	Objective string
	Plan      string
	After     []int  // the subtasks that it waits for, by their places in Decomposition.Subtasks
	DependsOn []UID  // tasks that are there
	Milestone string // its name or id; made where there is none
}

// PlannedPrefix begins the source of a task that was made from a plan.
const PlannedPrefix = "plan:"

// PlannedBy is the plan that t was made from, by the hash of its bytes, and the name of t there. It counts only for a
// subtask, no matter who wrote it.
func (t *Task) PlannedBy() (plan, key string, ok bool) {
	if t.Spec == nil || t.Config.ParentUID == "" {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(t.Spec.Source, PlannedPrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "#")
}

// SplitFrom is the task that was decomposed into t and others; "" for every other task. It counts only if it is t's
// parent, no matter who wrote it.
func (t *Task) SplitFrom() UID {
	if t.Spec == nil || t.Config.ParentUID == "" {
		return ""
	}
	for _, f := range t.Spec.Context {
		if f.Key == SplitFromKey && isString(f.Value) && UID(unquote(f.Value)) == t.Config.ParentUID {
			return t.Config.ParentUID
		}
	}
	return ""
}

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
