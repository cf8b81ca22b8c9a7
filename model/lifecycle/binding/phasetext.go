package binding

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
)

// SubtasksPlan is the plan of every create_subtasks.
const SubtasksPlan = "1. Read the accepted plan of the parent.\n" +
	"2. Create one subtask for each piece of work in it, with an objective and the tasks that it depends on.\n" +
	"3. Change nothing else. Each subtask gets a plan and a review of its own.\n"

// PhaseObjective is the objective that a phase is created with.
func PhaseObjective(phase string, parent *model.Task) string {
	text := map[string]string{
		model.PhaseObjective: "Say what %s is to achieve. Leave it as result/objective.md, or in the summary; it becomes the objective.\n",
		model.PhasePlan:      "Plan how %s is to be done. Leave it as result/plan.md, or in the summary; it becomes the plan.\n",
		model.PhaseSubtasks:  "Create the subtasks of %s, with their objectives and dependencies.\n",
	}[phase]
	return fmt.Sprintf(text, model.Quoted(parent))
}

// PhasesOf are the open phases of a task that are as vespe made them, in a state.
func PhasesOf(x *machine.Tx, parent model.UID, in model.State) (out []*model.Task) {
	for _, uid := range x.World.ChildUIDs(parent) {
		if c, ok := x.World.Task(uid); ok && c.IsUntouchedPhase() && c.Status.CurrentState == in {
			out = append(out, c)
		}
	}
	return out
}

// AcceptedPhases are the phases that accepting a task's plan accepts, too: their texts are those that
// vespe wrote, and neither their risk nor the approval that they need asks for more.
func AcceptedPhases(s *machine.Step, t *model.Task) (out []*model.Task, r *model.Refusal) {
	for _, c := range PhasesOf(s.Tx, t.UID, model.PlanDefined) {
		plan, known, r := s.Doc(c, model.Plan)
		if r != nil {
			return nil, r
		}
		objective, also, r := s.Doc(c, model.Objective)
		if r != nil {
			return nil, r
		}
		by := attestor(s.Tx)
		switch {
		case known && string(plan.Body) != SubtasksPlan, also && string(objective.Body) != PhaseObjective(c.Phase(), t):
		case by != nil && levelShort(c, by, review.Attested{Level: review.LevelClaimed}) != nil:
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// PhaseText is a phase with the plan that vespe wrote for it.
type PhaseText struct {
	UID  model.UID `json:"task_id"`
	Name string    `json:"name"`
	Plan string    `json:"plan"`
}

// AcceptedWith are the phases that accepting the plan of a task accepts, too, of those that bound has; nil
// has all.
func AcceptedWith(w model.World, uid model.UID, bound map[string]string) (out []PhaseText) {
	s := machine.Look(w, model.Op{Name: model.AcceptPlan, UID: uid})
	if s.Task == nil {
		return nil
	}
	list, r := AcceptedPhases(s, s.Task)
	if r != nil {
		return nil
	}
	for _, c := range list {
		if bound == nil || bound[string(c.UID)+"/plan.md"] != "" {
			out = append(out, PhaseText{c.UID, c.Config.Name, SubtasksPlan})
		}
	}
	return out
}
