package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The three predefined phases of a parent (DESIGN §3): spec.context.phase of a child.
const (
	PhaseObjective = "define_objective"
	PhasePlan      = "create_plan"
	PhaseSubtasks  = "create_subtasks"
)

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
		for _, p := range []string{PhaseObjective, PhasePlan, PhaseSubtasks} {
			if strings.Trim(string(f.Value), `"`) == p {
				return p
			}
		}
	}
	return ""
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
	op.Text = text
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
			fmt.Sprintf("result/%s cannot be read: %v", name, err), "repair the file, then repeat")
	}
	_, known, r = s.resultHash(t)
	return s.op.Text, known, r
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
	if p, ok := s.w.Task(s.task.Config.ParentUID); ok && s.task.Phase() != "" && p.unreadable() {
		out := s.refuseUnreadable(p)
		out.Guard, out.Why = GuardPhase, "finishing it is to change "+quoted(p)+", and "+out.Why
		return out
	}
	up, r := s.phaseStep()
	if up == nil || r != nil {
		return r
	}
	if r := up.check(); r != nil {
		if r.Guard == GuardText {
			r.Hint = "write it to " + taskFile(s.task.UID, "result/"+phaseFile(up.op.Name)) + " below .vespe, or say it in the summary"
		}
		out := s.refuse(r.Code, GuardPhase,
			fmt.Sprintf("finishing it is to %s, and that is refused: %s", up.phrase(), r.Why), r.Hint)
		out.Changed = r.Changed
		return out
	}
	return nil
}

// phaseEnded fires the parent's own transition.
func (s *step) phaseEnded(t *Task) *Refusal {
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
		if !ok || c == t.UID || child.ended() || child.Phase() != "" || slices.Contains(now.Status.SubtaskUIDs, c) {
			continue
		}
		if child.unreadable() {
			continue
		}
		n++
		if r := s.fire(Op{
			ID: s.tx.op.ID, At: s.tx.op.At, Name: SpawnSubtask, Actor: s.op.Actor, UID: p.UID, Subtask: c,
		}, t.UID); r != nil {
			return r
		}
	}
	if n > 0 {
		s.also(fmt.Sprintf("%s waits for %s", quoted(p), plural(n, "subtask", "subtasks")))
	}
	return nil
}
