// Package edits has the operations that are no transitions: create, rename, set, dependencies,
// milestones, priority and import. Start with Rows.
package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/visible"
)

// Rows are these operations, as rows beside the lifecycle table.
func Rows() []machine.Row {
	own := []machine.Row{
		machine.EditRow(model.CreateTask, model.NewTask{}, doCreate, []machine.Guard{machine.NeedActor, machine.Need(model.GuardUID, "a new task", checkNew)}),
		machine.EditRow(model.RenameTask, model.NewName{}, doRename, machine.OnTask(machine.Need(model.GuardName, "a name", checkRename))),
		machine.EditRow(model.AddDependency, model.DependencyEdit{}, doAddDeps, machine.OnTask(machine.NeedNotFinal, machine.Need(model.GuardDependency, "a dependency", checkAddDeps))),
		machine.EditRow(model.RemoveDependency, model.DependencyEdit{}, doRemoveDeps, machine.OnTask(machine.NeedNotFinal, machine.Need(model.GuardEdge, "an existing dependency", checkRemoveDeps))),
		machine.EditRow(model.SetFields, model.FieldEdit{}, doSet, machine.OnTask(machine.Need(model.GuardKey, "keys of spec.json", checkSet))),
		machine.EditRow(model.ImportTask, model.Imported{}, doImport, []machine.Guard{machine.NeedActor, machine.Need(model.GuardImport, "a task without approvals", checkImport)}),
		machine.EditRow(model.Prioritize, model.PriorityBy{}, doPrioritize, machine.OnTask(machine.Need(model.GuardValue, "what the rules say", checkPriority))),
	}
	return slices.Concat(own, milestoneRows())
}

// CheckName refuses a name that could not be shown on one line as it is.
func CheckName(s *machine.Step, name string) *model.Refusal {
	bad := func(why, hint string) *model.Refusal { return s.Refuse(model.CodeInvalid, model.GuardName, why, hint) }
	switch {
	case !utf8.ValidString(name):
		return bad("the name is not valid UTF-8", "use another name")
	case strings.TrimSpace(name) == "":
		return bad("the name is blank", "give it a name")
	case utf8.RuneCountInString(name) > model.MaxName:
		return bad(fmt.Sprintf("the name is longer than %d characters", model.MaxName), "put the details into the objective")
	case visible.Line(name) != name:
		return bad("the name has invisible characters: "+model.Quote(visible.Line(name)), "use another name")
	}
	return nil
}

// CleanName is a name as it is kept: white space at its ends is nobody's intent.
func CleanName(name string) string { return strings.TrimFunc(name, unicode.IsSpace) }

// --- create

// newUIDs are the uids that a create brings, the task's own first.
func newUIDs(n *model.NewTask) []model.UID {
	out := []model.UID{n.UID}
	if n.Phases {
		out = append(out, n.PhaseUIDs[:]...)
	}
	return out
}

func checkNew(s *machine.Step) *model.Refusal {
	n := model.ArgsOf[model.NewTask](&s.Op)
	if s.Op.Args == nil && !s.Trial {
		return s.Refuse(model.CodeInvalid, model.GuardUID, "no task was given", "give the tasks to create")
	}
	if s.Trial && n.Name == "" {
		return checkNewParent(s, n.Parent)
	}
	if r := CheckName(s, CleanName(n.Name)); r != nil {
		return r
	}
	if !utf8.ValidString(n.Objective) {
		return s.Refuse(model.CodeInvalid, model.GuardText, "the objective is not valid UTF-8", "save it as UTF-8")
	}
	if r := CheckSpec(s, n.Spec, model.GuardValue); r != nil {
		return r
	}
	for i, uid := range newUIDs(&n) {
		if s.Trial && uid == "" {
			continue
		}
		if r := CheckFree(s, uid, newUIDs(&n)[:i]); r != nil {
			return r
		}
	}
	if r := checkNewParent(s, n.Parent); r != nil {
		return r
	}
	if n.Parent != "" && slices.Contains(newUIDs(&n), n.Parent) {
		return s.Refuse(model.CodeRefused, model.GuardParent, "a task cannot be its own parent", "choose another parent")
	}
	if r := checkAncestors(s, &n); r != nil {
		return r
	}
	return checkNewDeps(s, &n)
}

// checkAncestors refuses to close a parent cycle: an orphan above may have been waiting
// for this very uid.
func checkAncestors(s *machine.Step, n *model.NewTask) *model.Refusal {
	path := []model.UID{n.UID}
	for at := n.Parent; at != "" && !slices.Contains(path[1:], at); {
		path = append(path, at)
		if at == n.UID {
			r := s.Refuse(model.CodeRefused, model.GuardParent, "it would be its own ancestor", "choose another parent")
			r.Cycle = path
			return r
		}
		t, ok := s.World.Task(at)
		if !ok {
			break
		}
		at = t.Config.ParentUID
	}
	return nil
}

// CheckFree refuses a uid that is invalid, or that a task or one of others has.
func CheckFree(s *machine.Step, uid model.UID, others []model.UID) *model.Refusal {
	if !uid.Valid() {
		return s.Refuse(model.CodeInvalid, model.GuardUID, fmt.Sprintf("%q is not a valid uid", uid),
			"use at most 64 lowercase letters, digits and `-`")
	}
	if t, ok := s.World.Task(uid); ok {
		return s.Refuse(model.CodeRefused, model.GuardUID, fmt.Sprintf("%s already exists: %s", uid, model.Quoted(t)), "use another uid")
	}
	if slices.Contains(others, uid) {
		return s.Refuse(model.CodeInvalid, model.GuardUID, fmt.Sprintf("%s is given twice", uid), "use another uid")
	}
	return nil
}

func checkNewParent(s *machine.Step, uid model.UID) *model.Refusal {
	if uid == "" {
		return nil
	}
	p, ok := s.World.Task(uid)
	switch {
	case !ok:
		return s.Refuse(model.CodeNotFound, model.GuardParent, fmt.Sprintf("unknown parent %q", uid), "`vespe ls` lists tasks")
	case p.Unreadable():
		return machine.RefuseUnreadable(s, p)
	case p.IsFinal():
		return s.Refuse(model.CodeRefused, model.GuardParent, fmt.Sprintf("the parent %s %s, which is final", model.Quoted(p), machine.EndedHow(p)),
			"create it without a parent, or under another")
	}
	return nil
}

func checkNewDeps(s *machine.Step, n *model.NewTask) *model.Refusal {
	if r := checkDepCount(s, len(n.DependsOn)); r != nil {
		return r
	}
	for i, d := range n.DependsOn {
		if d == n.UID {
			return s.Refuse(model.CodeRefused, model.GuardDependency, "a task cannot depend on itself", "remove that dependency")
		}
		if _, ok := s.World.Task(d); !ok {
			return s.Refuse(model.CodeNotFound, model.GuardDependency, fmt.Sprintf("unknown dependency %q", d), "`vespe ls` lists tasks")
		}
		if slices.Contains(n.DependsOn[:i], d) {
			return s.Refuse(model.CodeRefused, model.GuardEdge, fmt.Sprintf("the dependency on %s is given twice", s.Named(d)), "give it once")
		}
	}
	if n.UID == "" {
		return nil
	}
	// Only a task that others already depend on, before it exists, can close a cycle.
	return checkAcyclic(s, n.UID, n.DependsOn)
}

func doCreate(s *machine.Step) *model.Refusal {
	n := model.ArgsOf[model.NewTask](&s.Op)
	t := NewTask(s, n.UID, CleanName(n.Name), n.Parent, n.DependsOn, safer(s, nil, n.Spec))
	if n.Parent != "" {
		s.Deed = model.CreateTask.Deed(model.Quoted(t) + " under " + s.Named(n.Parent))
	}
	if len(n.DependsOn) > 0 {
		s.Say(machine.DependsOn, n.DependsOn)
		warnAncestors(s.Tx, t)
	}
	if r := NewObjective(s, t, n.Objective); r != nil {
		return r
	}
	if n.Phases {
		if r := createPhases(s, t, n.PhaseUIDs); r != nil {
			return r
		}
	}
	return spawnNew(s, t)
}

// NewTask adds a task in the state created.
func NewTask(s *machine.Step, uid model.UID, name string, parent model.UID, deps []model.UID, spec *model.Spec) *model.Task {
	t := &model.Task{
		UID: uid,
		Config: model.Config{
			UID: uid, Name: name, CreatedBy: s.Op.Actor, CreatedAt: s.Op.At, ParentUID: parent,
		},
		Status:    model.StatusFile{CurrentState: model.Created, LastUpdatedAt: s.Op.At, Revision: 1},
		DependsOn: slices.Clone(deps),
		Spec:      spec.Clone(),
		HasStatus: true,
	}
	s.Add(t, model.Touched{Config: true, Status: true, Dependencies: len(deps) > 0, Spec: spec != nil})
	return t
}

// NewObjective fires define_objective on a task that was just created.
func NewObjective(s *machine.Step, t *model.Task, text string) *model.Refusal {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return s.Fire(model.Op{
		ID: s.Op.ID, At: s.Op.At, Name: model.DefineObjective, Actor: s.Op.Actor, UID: t.UID, Args: model.NewObjective{Text: text},
	}, t.UID)
}

// createPhases makes the three predefined children, each of which waits for the one
// before it.
func createPhases(s *machine.Step, t *model.Task, uids [3]model.UID) *model.Refusal {
	var before []model.UID
	for i, phase := range model.Phases {
		uid := uids[i]
		child := NewTask(s, uid, phase, t.UID, before, model.PhaseSpec(phase))
		s.Emit(model.Event{
			Name: model.CreateTask, UID: uid, Actor: s.Op.Actor, To: model.Created, Cause: t.UID,
			Summary: fmt.Sprintf("create %s under %s", model.Quoted(child), model.Quoted(t)),
		})
		if r := NewObjective(s, child, binding.PhaseObjective(phase, t)); r != nil {
			return r
		}
		before = []model.UID{uid}
	}
	s.Say(machine.HasPhases)
	return nil
}

// spawnNew lets a working parent wait for its new child.
func spawnNew(s *machine.Step, t *model.Task) *model.Refusal {
	p := s.Parent(t)
	if p == nil || p.Status.CurrentState != model.Working {
		return nil
	}
	s.Also(machine.WaitsForIt, p)
	return s.Fire(model.Op{
		ID: s.Op.ID, At: s.Op.At, Name: model.SpawnSubtask, Actor: s.Op.Actor, UID: p.UID, Args: model.SubtaskRef{Subtask: t.UID},
	}, t.UID)
}

// warnAncestors says what no guard refuses and nobody wants: a task that waits for one
// above it, which cannot be completed before the task itself.
func warnAncestors(x *machine.Tx, t *model.Task) {
	seen := map[model.UID]bool{t.UID: true}
	for at := t.Config.ParentUID; at != "" && !seen[at]; {
		seen[at] = true
		p, ok := x.World.Task(at)
		if !ok {
			return
		}
		if slices.Contains(t.DependsOn, at) {
			x.Warnings = append(x.Warnings, fmt.Sprintf(
				"%s waits for its ancestor %s, which can't be completed before it", model.Quoted(t), model.Quoted(p)))
		}
		at = p.Config.ParentUID
	}
}

// --- rename

func checkRename(s *machine.Step) *model.Refusal {
	name := CleanName(model.ArgsOf[model.NewName](&s.Op).Name)
	if s.Trial && name == "" {
		return nil
	}
	if r := CheckName(s, name); r != nil {
		return r
	}
	if name == s.Task.Config.Name {
		return s.Refuse(model.CodeRefused, model.GuardName, "it already has this name", "choose another name")
	}
	return nil
}

func doRename(s *machine.Step) *model.Refusal {
	name := CleanName(model.ArgsOf[model.NewName](&s.Op).Name)
	s.Deed = model.RenameTask.Deed(model.Quoted(s.Task) + " to " + model.Quote(name))
	s.Detail(model.TextField("from", s.Task.Config.Name))
	s.Detail(model.TextField("to", name))
	s.Note(s.Op.UID).Config.Name = name
	s.Touched[s.Op.UID].Files.Config = true
	return nil
}
