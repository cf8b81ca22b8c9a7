package lifecycle

import (
	"errors"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// acceptPhases accepts what is accepted with a plan.
func acceptPhases(s *machine.Step, t *model.Task) *model.Refusal {
	list, r := binding.AcceptedPhases(s, t)
	if r != nil {
		return r
	}
	for _, c := range list {
		up := s.StepOf(model.Op{ID: s.Tx.Op.ID, At: s.Tx.Op.At, Name: model.AcceptPlan, Actor: s.Op.Actor, UID: c.UID}, t.UID)
		if r := up.Check(); r != nil {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s needs its own review: %s", model.Quoted(c), r.Why))
			continue
		}
		s.Also(machine.PlanAccepted, c)
		if r := up.Perform(); r != nil {
			return r
		}
	}
	return nil
}

// phasesDefined ends the phases that were to draft what the parent has now, and gives the others
// their plans once it has one of its own.
func phasesDefined(s *machine.Step, d model.Doc) *model.Refusal {
	for _, c := range binding.PhasesOf(s.Tx, s.Op.UID, model.ObjectiveDefined) {
		op := model.Op{ID: s.Tx.Op.ID, At: s.Tx.Op.At, Actor: s.Op.Actor, UID: c.UID}
		switch p := c.Phase(); {
		case p == model.PhaseObjective || p == model.PhasePlan && d == model.Plan:
			op.Name, op.Args = model.WorkCompleted, model.Completion{Summary: fmt.Sprintf("The %s of the parent was defined.", d)}
		case p == model.PhaseSubtasks && d == model.Plan:
			op.Name, op.Args = model.DefinePlan, model.NewPlan{Text: binding.SubtasksPlan}
		default:
			continue
		}
		up := s.StepOf(op, s.Op.UID)
		up.Drafted = op.Name == model.WorkCompleted
		if r := up.Perform(); r != nil {
			return r
		}
	}
	return nil
}

// phaseStep is the transition that finishing a phase fires on the parent; nil when it
// fires none.
func phaseStep(s *machine.Step) (*machine.Step, *model.Refusal) {
	t := s.Task
	p := s.Parent(t)
	if p == nil {
		return nil, nil
	}
	op := model.Op{ID: s.Tx.Op.ID, At: s.Tx.Op.At, Actor: s.Op.Actor, UID: p.UID}
	switch t.Phase() {
	case model.PhaseObjective:
		op.Name = model.DefineObjective
	case model.PhasePlan:
		op.Name = model.DefinePlan
	default:
		return nil, nil
	}
	text, known, r := phaseText(s, t, op.Name)
	if r != nil {
		return nil, r
	}
	if op.Name == model.DefinePlan {
		op.Args = model.NewPlan{Text: text}
	} else {
		op.Args = model.NewObjective{Text: text}
	}
	up := s.StepOf(op, t.UID)
	up.PhasePreview = !known
	return up, nil
}

// phaseText is what a phase produced: its file under result/, or else the summary. known
// is false when this world has no bytes to look at.
func phaseText(s *machine.Step, t *model.Task, n model.Name) (text string, known bool, r *model.Refusal) {
	name := phaseFile(n)
	body, err := s.World.ResultFile(t.UID, name)
	switch {
	case err == nil:
		return string(body), true, nil
	case !errors.Is(err, model.ErrNoContent):
		return "", false, s.Refuse(model.CodeRefused, model.GuardReadable,
			fmt.Sprintf("can't read result/%s: %v", name, err), "repair the file, then retry")
	}
	_, known, r = s.ResultHash(t)
	return s.Op.Text(), known, r
}

// phaseFile is where a phase leaves what it produced, below result/.
func phaseFile(n model.Name) string {
	if n == model.DefinePlan {
		return "plan.md"
	}
	return "objective.md"
}

// phaseAllowed refuses to finish a phase whose transition of the parent is refused.
func phaseAllowed(s *machine.Step) *model.Refusal {
	if r := needMadeSubtask(s); r != nil {
		return r
	}
	if p, ok := s.World.Task(s.Task.Config.ParentUID); ok && s.Task.Phase() != "" && p.Unreadable() {
		out := machine.RefuseUnreadable(s, p)
		out.Guard, out.Why = model.GuardPhase, "finishing it would change "+model.Quoted(p)+", and "+out.Why
		return out
	}
	up, r := phaseStep(s)
	if up == nil || r != nil {
		return r
	}
	if r := up.Check(); r != nil {
		if r.Guard == model.GuardText {
			r.Hint = "write it to " + model.TaskFile(s.Task.UID, "result/"+phaseFile(up.Op.Name)) + " below .vespe, or put it into the summary"
		}
		out := s.Refuse(r.Code, model.GuardPhase,
			fmt.Sprintf("finishing it would also %s, which is not possible: %s", up.Does().Do(), r.Why), r.Hint)
		out.Changed = r.Changed
		return out
	}
	return nil
}

// needMadeSubtask refuses to finish create_subtasks before there is a subtask.
func needMadeSubtask(s *machine.Step) *model.Refusal {
	p := s.Parent(s.Task)
	if p == nil || s.Task.Phase() != model.PhaseSubtasks {
		return nil
	}
	for _, uid := range slices.Concat(s.World.ChildUIDs(p.UID), s.World.ChildUIDs(s.Task.UID)) {
		if c, ok := s.World.Task(uid); !ok || c.Phase() == "" {
			return nil
		}
	}
	return s.Refuse(model.CodeRefused, model.GuardPhase, "no subtask of "+model.Quoted(p)+" was created",
		"create its subtasks first: `vespe new NAME --parent "+p.UID.Short()+"`, or task_create with parent_id \""+string(p.UID)+"\"")
}

// phaseEnded fires the parent's own transition.
func phaseEnded(s *machine.Step, t *model.Task) *model.Refusal {
	if s.Drafted {
		return nil
	}
	if t.Phase() == model.PhaseSubtasks {
		return spawnAll(s, t)
	}
	up, r := phaseStep(s)
	if up == nil || r != nil {
		return r
	}
	doc := map[model.Name]model.Doc{model.DefineObjective: model.Objective, model.DefinePlan: model.Plan}[up.Op.Name]
	s.Also(machine.DocDefined, doc, up.Task)
	return up.Perform()
}

// spawnAll makes a working parent wait for every subtask that the last phase left open.
func spawnAll(s *machine.Step, t *model.Task) *model.Refusal {
	p := s.Parent(t)
	if p == nil || p.Status.CurrentState != model.Working {
		return nil
	}
	n := 0
	for _, c := range s.World.ChildUIDs(p.UID) {
		child, ok := s.World.Task(c)
		now, _ := s.World.Task(p.UID)
		if !ok || c == t.UID || child.Ended() || child.Phase() != "" || slices.Contains(now.Status.SubtaskUIDs, c) {
			continue
		}
		if child.Unreadable() {
			continue
		}
		n++
		if r := s.Fire(model.Op{
			ID: s.Tx.Op.ID, At: s.Tx.Op.At, Name: model.SpawnSubtask, Actor: s.Op.Actor, UID: p.UID, Args: model.SubtaskRef{Subtask: c},
		}, t.UID); r != nil {
			return r
		}
	}
	if n > 0 {
		s.Also(machine.WaitsForSome, p, model.Plural(n, "subtask", "subtasks"))
	}
	return nil
}
