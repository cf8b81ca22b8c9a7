package model

import (
	"errors"
	"fmt"
	"slices"
)

// subtasksPlan is the plan of every create_subtasks.
const subtasksPlan = "1. Read the accepted plan of the parent.\n" +
	"2. Create one subtask for each piece of work in it, with an objective and the tasks that it depends on.\n" +
	"3. Change nothing else. Each subtask gets a plan and a review of its own.\n"

// phaseObjective is the objective that a phase is created with.
func phaseObjective(phase string, parent *Task) string {
	text := map[string]string{
		PhaseObjective: "Say what %s is to achieve. Leave it as result/objective.md, or in the summary; it becomes the objective.\n",
		PhasePlan:      "Plan how %s is to be done. Leave it as result/plan.md, or in the summary; it becomes the plan.\n",
		PhaseSubtasks:  "Create the subtasks of %s, with their objectives and dependencies.\n",
	}[phase]
	return fmt.Sprintf(text, Quoted(parent))
}

// phasesOf are the open phases of a task that are as vespe made them, in a state.
func (x *tx) phasesOf(parent UID, in State) (out []*Task) {
	for _, uid := range x.w.ChildUIDs(parent) {
		if c, ok := x.w.Task(uid); ok && c.IsUntouchedPhase() && c.Status.CurrentState == in {
			out = append(out, c)
		}
	}
	return out
}

// acceptedWith are the phases that accepting a task's plan accepts, too: their texts are those that
// vespe wrote, and neither their risk nor the approval that they need asks for more.
func (s *step) acceptedWith(t *Task) (out []*Task, r *Refusal) {
	for _, c := range s.phasesOf(t.UID, PlanDefined) {
		plan, known, r := s.doc(c, Plan)
		if r != nil {
			return nil, r
		}
		objective, also, r := s.doc(c, Objective)
		if r != nil {
			return nil, r
		}
		by := s.attestor()
		switch {
		case slices.Contains(ArgsOf[Acceptance](&s.op).Excluded, string(c.UID)):
		case known && string(plan.Body) != subtasksPlan, also && string(objective.Body) != phaseObjective(c.Phase(), t):
		case by != nil && levelShort(c, by, Attested{Level: LevelClaimed}) != nil:
		default:
			out = append(out, c)
		}
	}
	return out, nil
}

// PhaseText is a phase with the plan that vespe wrote for it.
type PhaseText struct {
	UID  UID    `json:"task_id"`
	Name string `json:"name"`
	Plan string `json:"plan"`
}

// AcceptedWith are the phases that accepting the plan of a task accepts, too, of those that bound has; nil
// has all.
func AcceptedWith(w World, uid UID, bound map[string]string) (out []PhaseText) {
	x := &tx{m: lifecycle(), w: w, op: Op{Name: AcceptPlan, UID: uid}, policy: w.Policy(), trial: true}
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
func (s *step) acceptPhases(t *Task) *Refusal {
	list, r := s.acceptedWith(t)
	if r != nil {
		return r
	}
	for _, c := range list {
		up := s.step(Op{ID: s.tx.op.ID, At: s.tx.op.At, Name: AcceptPlan, Actor: s.op.Actor, UID: c.UID}, t.UID)
		if r := up.check(); r != nil {
			s.warnings = append(s.warnings, fmt.Sprintf("%s needs its own review: %s", Quoted(c), r.Why))
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
func (s *step) phasesDefined(d Doc) *Refusal {
	for _, c := range s.phasesOf(s.op.UID, ObjectiveDefined) {
		op := Op{ID: s.tx.op.ID, At: s.tx.op.At, Actor: s.op.Actor, UID: c.UID}
		switch p := c.Phase(); {
		case p == PhaseObjective || p == PhasePlan && d == Plan:
			op.Name, op.Args = WorkCompleted, Completion{Summary: fmt.Sprintf("The %s of the parent was defined.", d)}
		case p == PhaseSubtasks && d == Plan:
			op.Name, op.Args = DefinePlan, NewPlan{Text: subtasksPlan}
		default:
			continue
		}
		up := s.step(op, s.op.UID)
		up.drafted = op.Name == WorkCompleted
		if r := up.perform(); r != nil {
			return r
		}
	}
	return nil
}

// phaseStep is the transition that finishing a phase fires on the parent; nil when it
// fires none.
func (s *step) phaseStep() (*step, *Refusal) {
	t := s.task
	p := s.parent(t)
	if p == nil {
		return nil, nil
	}
	op := Op{ID: s.tx.op.ID, At: s.tx.op.At, Actor: s.op.Actor, UID: p.UID}
	switch t.Phase() {
	case PhaseObjective:
		op.Name = DefineObjective
	case PhasePlan:
		op.Name = DefinePlan
	default:
		return nil, nil
	}
	text, known, r := s.phaseText(t, op.Name)
	if r != nil {
		return nil, r
	}
	if op.Name == DefinePlan {
		op.Args = NewPlan{Text: text}
	} else {
		op.Args = NewObjective{Text: text}
	}
	up := s.step(op, t.UID)
	up.phasePreview = !known
	return up, nil
}

// phaseText is what a phase produced: its file under result/, or else the summary. known
// is false when this world has no bytes to look at.
func (s *step) phaseText(t *Task, n Name) (text string, known bool, r *Refusal) {
	name := phaseFile(n)
	body, err := s.w.ResultFile(t.UID, name)
	switch {
	case err == nil:
		return string(body), true, nil
	case !errors.Is(err, ErrNoContent):
		return "", false, s.refuse(CodeRefused, GuardReadable,
			fmt.Sprintf("can't read result/%s: %v", name, err), "repair the file, then retry")
	}
	_, known, r = s.resultHash(t)
	return s.op.Text(), known, r
}

// phaseFile is where a phase leaves what it produced, below result/.
func phaseFile(n Name) string {
	if n == DefinePlan {
		return "plan.md"
	}
	return "objective.md"
}

// phaseAllowed refuses to finish a phase whose transition of the parent is refused.
func phaseAllowed(s *step) *Refusal {
	if r := s.needMadeSubtask(); r != nil {
		return r
	}
	if p, ok := s.w.Task(s.task.Config.ParentUID); ok && s.task.Phase() != "" && p.Unreadable() {
		out := s.refuseUnreadable(p)
		out.Guard, out.Why = GuardPhase, "finishing it would change "+Quoted(p)+", and "+out.Why
		return out
	}
	up, r := s.phaseStep()
	if up == nil || r != nil {
		return r
	}
	if r := up.check(); r != nil {
		if r.Guard == GuardText {
			r.Hint = "write it to " + TaskFile(s.task.UID, "result/"+phaseFile(up.op.Name)) + " below .vespe, or put it into the summary"
		}
		out := s.refuse(r.Code, GuardPhase,
			fmt.Sprintf("finishing it would also %s, which is not possible: %s", up.phrase(), r.Why), r.Hint)
		out.Changed = r.Changed
		return out
	}
	return nil
}

// needMadeSubtask refuses to finish create_subtasks before there is a subtask.
func (s *step) needMadeSubtask() *Refusal {
	p := s.parent(s.task)
	if p == nil || s.task.Phase() != PhaseSubtasks {
		return nil
	}
	for _, uid := range slices.Concat(s.w.ChildUIDs(p.UID), s.w.ChildUIDs(s.task.UID)) {
		if c, ok := s.w.Task(uid); !ok || c.Phase() == "" {
			return nil
		}
	}
	return s.refuse(CodeRefused, GuardPhase, "no subtask of "+Quoted(p)+" was created",
		"create its subtasks first: `vespe new NAME --parent "+p.UID.Short()+"`, or task_create with parent_id \""+string(p.UID)+"\"")
}

// phaseEnded fires the parent's own transition.
func (s *step) phaseEnded(t *Task) *Refusal {
	if s.drafted {
		return nil
	}
	if t.Phase() == PhaseSubtasks {
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
func (s *step) spawnAll(t *Task) *Refusal {
	p := s.parent(t)
	if p == nil || p.Status.CurrentState != Working {
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
		if r := s.fire(Op{
			ID: s.tx.op.ID, At: s.tx.op.At, Name: SpawnSubtask, Actor: s.op.Actor, UID: p.UID, Args: SubtaskRef{Subtask: c},
		}, t.UID); r != nil {
			return r
		}
	}
	if n > 0 {
		s.also(fmt.Sprintf("%s waits for %s", Quoted(p), Plural(n, "subtask", "subtasks")))
	}
	return nil
}
