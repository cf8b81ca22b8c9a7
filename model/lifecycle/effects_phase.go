package lifecycle

import (
	"errors"
	"fmt"
	"slices"

	"vespe/model"
)

// subtasksPlan is the plan of every create_subtasks.
const subtasksPlan = "1. Read the accepted plan of the parent.\n" +
	"2. Create one subtask for each piece of work in it, with an objective and the tasks that it depends on.\n" +
	"3. Change nothing else. Each subtask gets a plan and a review of its own.\n"

// phaseObjective is the objective that a phase is created with.
func phaseObjective(phase string, parent *model.Task) string {
	text := map[string]string{
		model.PhaseObjective: "Say what %s is to achieve. Leave it as result/objective.md, or in the summary; it becomes the objective.\n",
		model.PhasePlan:      "Plan how %s is to be done. Leave it as result/plan.md, or in the summary; it becomes the plan.\n",
		model.PhaseSubtasks:  "Create the subtasks of %s, with their objectives and dependencies.\n",
	}[phase]
	return fmt.Sprintf(text, model.Quoted(parent))
}

// phasesOf are the open phases of a task that are as vespe made them, in a state.
func (x *tx) phasesOf(parent model.UID, in model.State) (out []*model.Task) {
	for _, uid := range x.w.ChildUIDs(parent) {
		if c, ok := x.w.Task(uid); ok && c.IsUntouchedPhase() && c.Status.CurrentState == in {
			out = append(out, c)
		}
	}
	return out
}

// acceptedWith are the phases that accepting a task's plan accepts, too: their texts are those that
// vespe wrote, and neither their risk nor the approval that they need asks for more.
func (s *step) acceptedWith(t *model.Task) (out []*model.Task, r *model.Refusal) {
	for _, c := range s.phasesOf(t.UID, model.PlanDefined) {
		plan, known, r := s.doc(c, model.Plan)
		if r != nil {
			return nil, r
		}
		objective, also, r := s.doc(c, model.Objective)
		if r != nil {
			return nil, r
		}
		by := s.attestor()
		switch {
		case slices.Contains(model.ArgsOf[model.Acceptance](&s.op).Excluded, string(c.UID)):
		case known && string(plan.Body) != subtasksPlan, also && string(objective.Body) != phaseObjective(c.Phase(), t):
		case by != nil && levelShort(c, by, model.Attested{Level: model.LevelClaimed}) != nil:
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
	x := &tx{m: lifecycle(), w: w, op: model.Op{Name: model.AcceptPlan, UID: uid}, policy: w.Policy(), trial: true}
	s := x.step(x.op, "")
	if s.task == nil {
		return nil
	}
	list, r := s.acceptedWith(s.task)
	if r != nil {
		return nil
	}
	for _, c := range list {
		if bound == nil || bound[string(c.UID)+"/plan.md"] != "" {
			out = append(out, PhaseText{c.UID, c.Config.Name, subtasksPlan})
		}
	}
	return out
}

// acceptPhases accepts what is accepted with a plan.
func (s *step) acceptPhases(t *model.Task) *model.Refusal {
	list, r := s.acceptedWith(t)
	if r != nil {
		return r
	}
	for _, c := range list {
		up := s.step(model.Op{ID: s.tx.op.ID, At: s.tx.op.At, Name: model.AcceptPlan, Actor: s.op.Actor, UID: c.UID}, t.UID)
		if r := up.check(); r != nil {
			s.warnings = append(s.warnings, fmt.Sprintf("%s needs its own review: %s", model.Quoted(c), r.Why))
			continue
		}
		s.also(up.phrase())
		if r := up.perform(); r != nil {
			return r
		}
	}
	return nil
}

// phasesDefined ends the phases that were to draft what the parent has now, and gives the others
// their plans once it has one of its own.
func (s *step) phasesDefined(d model.Doc) *model.Refusal {
	for _, c := range s.phasesOf(s.op.UID, model.ObjectiveDefined) {
		op := model.Op{ID: s.tx.op.ID, At: s.tx.op.At, Actor: s.op.Actor, UID: c.UID}
		switch p := c.Phase(); {
		case p == model.PhaseObjective || p == model.PhasePlan && d == model.Plan:
			op.Name, op.Args = model.WorkCompleted, model.Completion{Summary: fmt.Sprintf("The %s of the parent was defined.", d)}
		case p == model.PhaseSubtasks && d == model.Plan:
			op.Name, op.Args = model.DefinePlan, model.NewPlan{Text: subtasksPlan}
		default:
			continue
		}
		up := s.step(op, s.op.UID)
		up.drafted = op.Name == model.WorkCompleted
		if r := up.perform(); r != nil {
			return r
		}
	}
	return nil
}

// phaseStep is the transition that finishing a phase fires on the parent; nil when it
// fires none.
func (s *step) phaseStep() (*step, *model.Refusal) {
	t := s.task
	p := s.parent(t)
	if p == nil {
		return nil, nil
	}
	op := model.Op{ID: s.tx.op.ID, At: s.tx.op.At, Actor: s.op.Actor, UID: p.UID}
	switch t.Phase() {
	case model.PhaseObjective:
		op.Name = model.DefineObjective
	case model.PhasePlan:
		op.Name = model.DefinePlan
	default:
		return nil, nil
	}
	text, known, r := s.phaseText(t, op.Name)
	if r != nil {
		return nil, r
	}
	if op.Name == model.DefinePlan {
		op.Args = model.NewPlan{Text: text}
	} else {
		op.Args = model.NewObjective{Text: text}
	}
	up := s.step(op, t.UID)
	up.phasePreview = !known
	return up, nil
}

// phaseText is what a phase produced: its file under result/, or else the summary. known
// is false when this world has no bytes to look at.
func (s *step) phaseText(t *model.Task, n model.Name) (text string, known bool, r *model.Refusal) {
	name := phaseFile(n)
	body, err := s.w.ResultFile(t.UID, name)
	switch {
	case err == nil:
		return string(body), true, nil
	case !errors.Is(err, model.ErrNoContent):
		return "", false, s.refuse(model.CodeRefused, model.GuardReadable,
			fmt.Sprintf("can't read result/%s: %v", name, err), "repair the file, then retry")
	}
	_, known, r = s.resultHash(t)
	return s.op.Text(), known, r
}

// phaseFile is where a phase leaves what it produced, below result/.
func phaseFile(n model.Name) string {
	if n == model.DefinePlan {
		return "plan.md"
	}
	return "objective.md"
}

// phaseAllowed refuses to finish a phase whose transition of the parent is refused.
func phaseAllowed(s *step) *model.Refusal {
	if r := s.needMadeSubtask(); r != nil {
		return r
	}
	if p, ok := s.w.Task(s.task.Config.ParentUID); ok && s.task.Phase() != "" && p.Unreadable() {
		out := refuseUnreadable(s, p)
		out.Guard, out.Why = model.GuardPhase, "finishing it would change "+model.Quoted(p)+", and "+out.Why
		return out
	}
	up, r := s.phaseStep()
	if up == nil || r != nil {
		return r
	}
	if r := up.check(); r != nil {
		if r.Guard == model.GuardText {
			r.Hint = "write it to " + model.TaskFile(s.task.UID, "result/"+phaseFile(up.op.Name)) + " below .vespe, or put it into the summary"
		}
		out := s.refuse(r.Code, model.GuardPhase,
			fmt.Sprintf("finishing it would also %s, which is not possible: %s", up.phrase(), r.Why), r.Hint)
		out.Changed = r.Changed
		return out
	}
	return nil
}

// needMadeSubtask refuses to finish create_subtasks before there is a subtask.
func (s *step) needMadeSubtask() *model.Refusal {
	p := s.parent(s.task)
	if p == nil || s.task.Phase() != model.PhaseSubtasks {
		return nil
	}
	for _, uid := range slices.Concat(s.w.ChildUIDs(p.UID), s.w.ChildUIDs(s.task.UID)) {
		if c, ok := s.w.Task(uid); !ok || c.Phase() == "" {
			return nil
		}
	}
	return s.refuse(model.CodeRefused, model.GuardPhase, "no subtask of "+model.Quoted(p)+" was created",
		"create its subtasks first: `vespe new NAME --parent "+p.UID.Short()+"`, or task_create with parent_id \""+string(p.UID)+"\"")
}

// phaseEnded fires the parent's own transition.
func (s *step) phaseEnded(t *model.Task) *model.Refusal {
	if s.drafted {
		return nil
	}
	if t.Phase() == model.PhaseSubtasks {
		return s.spawnAll(t)
	}
	up, r := s.phaseStep()
	if up == nil || r != nil {
		return r
	}
	s.also(up.phrase())
	return up.perform()
}

// spawnAll makes a working parent wait for every subtask that the last phase left open.
func (s *step) spawnAll(t *model.Task) *model.Refusal {
	p := s.parent(t)
	if p == nil || p.Status.CurrentState != model.Working {
		return nil
	}
	n := 0
	for _, c := range s.w.ChildUIDs(p.UID) {
		child, ok := s.w.Task(c)
		now, _ := s.w.Task(p.UID)
		if !ok || c == t.UID || child.Ended() || child.Phase() != "" || slices.Contains(now.Status.SubtaskUIDs, c) {
			continue
		}
		if child.Unreadable() {
			continue
		}
		n++
		if r := s.fire(model.Op{
			ID: s.tx.op.ID, At: s.tx.op.At, Name: model.SpawnSubtask, Actor: s.op.Actor, UID: p.UID, Args: model.SubtaskRef{Subtask: c},
		}, t.UID); r != nil {
			return r
		}
	}
	if n > 0 {
		s.also(fmt.Sprintf("%s waits for %s", model.Quoted(p), model.Plural(n, "subtask", "subtasks")))
	}
	return nil
}
