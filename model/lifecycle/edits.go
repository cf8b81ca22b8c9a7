package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/visible"
)

// editRows are the operations that change files and never the state.
func editRows() []Transition {
	common := []check{needTask, needReadable, needActor, needRevision}
	with := func(own ...check) []check { return append(slices.Clone(common), own...) }
	return []Transition{
		{
			Name: model.CreateTask, Takes: model.NewTask{}, Who: WhoAny,
			checks: []check{needActor, {GuardInfo{model.GuardUID, "a new task"}, checkNew}}, effect: doCreate,
		},
		{
			Name: model.RenameTask, Takes: model.NewName{}, Who: WhoAny,
			checks: with(check{GuardInfo{model.GuardName, "a name"}, checkRename}), effect: doRename,
		},
		{
			Name: model.AddDependency, Takes: model.DependencyEdit{}, Who: WhoAny,
			checks: with(needNotFinal, check{GuardInfo{model.GuardDependency, "a dependency"}, checkAddDeps}), effect: doAddDeps,
		},
		{
			Name: model.RemoveDependency, Takes: model.DependencyEdit{}, Who: WhoAny,
			checks: with(needNotFinal, check{GuardInfo{model.GuardEdge, "an existing dependency"}, checkRemoveDeps}), effect: doRemoveDeps,
		},
		{
			Name: model.SetFields, Takes: model.FieldEdit{}, Who: WhoAny,
			checks: with(check{GuardInfo{model.GuardKey, "keys of spec.json"}, checkSet}), effect: doSet,
		},
		{
			Name: model.ImportTask, Takes: model.Imported{}, Who: WhoAny,
			checks: []check{needActor, {GuardInfo{model.GuardImport, "a task without approvals"}, checkImport}}, effect: doImport,
		},
		{
			Name: model.Decompose, Takes: model.Decomposition{}, Who: WhoAny,
			checks: with(needNotFinal, needDecomposable), effect: doDecompose,
		},
		{
			Name: model.FetchAnswer, Takes: model.RequestRef{}, Who: WhoAny,
			checks: []check{needActor, needAnswer}, effect: doFetch,
		},
		{
			Name: model.FetchVerdict, Who: WhoAny,
			checks: with(needVerdict), effect: doFetchVerdict,
		},
	}
}

// checkName refuses a name that could not be shown on one line as it is.
func checkName(s *step, name string) *model.Refusal {
	bad := func(why, hint string) *model.Refusal { return s.refuse(model.CodeInvalid, model.GuardName, why, hint) }
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

// cleanName is a name as it is kept: white space at its ends is nobody's intent.
func cleanName(name string) string { return strings.TrimFunc(name, unicode.IsSpace) }

// --- create

// newUIDs are the uids that a create brings, the task's own first.
func newUIDs(n *model.NewTask) []model.UID {
	out := []model.UID{n.UID}
	if n.Phases {
		out = append(out, n.PhaseUIDs[:]...)
	}
	return out
}

func checkNew(s *step) *model.Refusal {
	n := model.ArgsOf[model.NewTask](&s.op)
	if s.op.Args == nil && !s.trial {
		return s.refuse(model.CodeInvalid, model.GuardUID, "no task was given", "give the tasks to create")
	}
	if s.trial && n.Name == "" {
		return checkNewParent(s, n.Parent)
	}
	if r := checkName(s, cleanName(n.Name)); r != nil {
		return r
	}
	if !utf8.ValidString(n.Objective) {
		return s.refuse(model.CodeInvalid, model.GuardText, "the objective is not valid UTF-8", "save it as UTF-8")
	}
	if r := checkSpec(s, n.Spec, model.GuardValue); r != nil {
		return r
	}
	for i, uid := range newUIDs(&n) {
		if s.trial && uid == "" {
			continue
		}
		if r := checkFree(s, uid, newUIDs(&n)[:i]); r != nil {
			return r
		}
	}
	if r := checkNewParent(s, n.Parent); r != nil {
		return r
	}
	if n.Parent != "" && slices.Contains(newUIDs(&n), n.Parent) {
		return s.refuse(model.CodeRefused, model.GuardParent, "a task cannot be its own parent", "choose another parent")
	}
	if r := checkAncestors(s, &n); r != nil {
		return r
	}
	return checkNewDeps(s, &n)
}

// checkAncestors refuses to close a parent cycle: an orphan above may have been waiting
// for this very uid.
func checkAncestors(s *step, n *model.NewTask) *model.Refusal {
	path := []model.UID{n.UID}
	for at := n.Parent; at != "" && !slices.Contains(path[1:], at); {
		path = append(path, at)
		if at == n.UID {
			r := s.refuse(model.CodeRefused, model.GuardParent, "it would be its own ancestor", "choose another parent")
			r.Cycle = path
			return r
		}
		t, ok := s.w.Task(at)
		if !ok {
			break
		}
		at = t.Config.ParentUID
	}
	return nil
}

func checkFree(s *step, uid model.UID, others []model.UID) *model.Refusal {
	if !uid.Valid() {
		return s.refuse(model.CodeInvalid, model.GuardUID, fmt.Sprintf("%q is not a valid uid", uid),
			"use at most 64 lowercase letters, digits and `-`")
	}
	if t, ok := s.w.Task(uid); ok {
		return s.refuse(model.CodeRefused, model.GuardUID, fmt.Sprintf("%s already exists: %s", uid, model.Quoted(t)), "use another uid")
	}
	if slices.Contains(others, uid) {
		return s.refuse(model.CodeInvalid, model.GuardUID, fmt.Sprintf("%s is given twice", uid), "use another uid")
	}
	return nil
}

func checkNewParent(s *step, uid model.UID) *model.Refusal {
	if uid == "" {
		return nil
	}
	p, ok := s.w.Task(uid)
	switch {
	case !ok:
		return s.refuse(model.CodeNotFound, model.GuardParent, fmt.Sprintf("unknown parent %q", uid), "`vespe ls` lists tasks")
	case p.Unreadable():
		return refuseUnreadable(s, p)
	case p.IsFinal():
		return s.refuse(model.CodeRefused, model.GuardParent, fmt.Sprintf("the parent %s %s, which is final", model.Quoted(p), endedHow(p)),
			"create it without a parent, or under another")
	}
	return nil
}

func checkNewDeps(s *step, n *model.NewTask) *model.Refusal {
	if r := checkDepCount(s, len(n.DependsOn)); r != nil {
		return r
	}
	for i, d := range n.DependsOn {
		if d == n.UID {
			return s.refuse(model.CodeRefused, model.GuardDependency, "a task cannot depend on itself", "remove that dependency")
		}
		if _, ok := s.w.Task(d); !ok {
			return s.refuse(model.CodeNotFound, model.GuardDependency, fmt.Sprintf("unknown dependency %q", d), "`vespe ls` lists tasks")
		}
		if slices.Contains(n.DependsOn[:i], d) {
			return s.refuse(model.CodeRefused, model.GuardEdge, fmt.Sprintf("the dependency on %s is given twice", s.named(d)), "give it once")
		}
	}
	if n.UID == "" {
		return nil
	}
	// Only a task that others already depend on, before it exists, can close a cycle.
	return checkAcyclic(s, n.UID, n.DependsOn)
}

func doCreate(s *step) *model.Refusal {
	n := model.ArgsOf[model.NewTask](&s.op)
	t := s.newTask(n.UID, cleanName(n.Name), n.Parent, n.DependsOn, s.safer(nil, n.Spec))
	if n.Parent != "" {
		s.head = fmt.Sprintf("create %s under %s", model.Quoted(t), s.named(n.Parent))
	}
	if len(n.DependsOn) > 0 {
		s.say("it depends on " + s.listed(n.DependsOn))
		s.warnAncestors(t)
	}
	if r := s.newObjective(t, n.Objective); r != nil {
		return r
	}
	if n.Phases {
		if r := s.createPhases(t, n.PhaseUIDs); r != nil {
			return r
		}
	}
	return s.spawnNew(t)
}

// newTask adds a task in the state created.
func (s *step) newTask(uid model.UID, name string, parent model.UID, deps []model.UID, spec *model.Spec) *model.Task {
	t := &model.Task{
		UID: uid,
		Config: model.Config{
			UID: uid, Name: name, CreatedBy: s.op.Actor, CreatedAt: s.op.At, ParentUID: parent,
		},
		Status:    model.StatusFile{CurrentState: model.Created, LastUpdatedAt: s.op.At, Revision: 1},
		DependsOn: slices.Clone(deps),
		Spec:      spec.Clone(),
		HasStatus: true,
	}
	s.add(t, model.Touched{Config: true, Status: true, Dependencies: len(deps) > 0, Spec: spec != nil})
	return t
}

// newObjective fires define_objective on a task that was just created.
func (s *step) newObjective(t *model.Task, text string) *model.Refusal {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return s.fire(model.Op{
		ID: s.op.ID, At: s.op.At, Name: model.DefineObjective, Actor: s.op.Actor, UID: t.UID, Args: model.NewObjective{Text: text},
	}, t.UID)
}

// createPhases makes the three predefined children, each of which waits for the one
// before it.
func (s *step) createPhases(t *model.Task, uids [3]model.UID) *model.Refusal {
	var before []model.UID
	for i, phase := range model.Phases {
		uid := uids[i]
		child := s.newTask(uid, phase, t.UID, before, model.PhaseSpec(phase))
		s.emit(model.Event{
			Name: model.CreateTask, UID: uid, Actor: s.op.Actor, To: model.Created, Cause: t.UID,
			Summary: fmt.Sprintf("create %s under %s", model.Quoted(child), model.Quoted(t)),
		})
		if r := s.newObjective(child, phaseObjective(phase, t)); r != nil {
			return r
		}
		before = []model.UID{uid}
	}
	s.say("with its three phases")
	return nil
}

// spawnNew lets a working parent wait for its new child.
func (s *step) spawnNew(t *model.Task) *model.Refusal {
	p := s.parent(t)
	if p == nil || p.Status.CurrentState != model.Working {
		return nil
	}
	s.also(model.Quoted(p) + " waits for it")
	return s.fire(model.Op{
		ID: s.op.ID, At: s.op.At, Name: model.SpawnSubtask, Actor: s.op.Actor, UID: p.UID, Args: model.SubtaskRef{Subtask: t.UID},
	}, t.UID)
}

// warnAncestors says what no guard refuses and nobody wants: a task that waits for one
// above it, which cannot be completed before the task itself.
func (x *tx) warnAncestors(t *model.Task) {
	seen := map[model.UID]bool{t.UID: true}
	for at := t.Config.ParentUID; at != "" && !seen[at]; {
		seen[at] = true
		p, ok := x.w.Task(at)
		if !ok {
			return
		}
		if slices.Contains(t.DependsOn, at) {
			x.warnings = append(x.warnings, fmt.Sprintf(
				"%s waits for its ancestor %s, which can't be completed before it", model.Quoted(t), model.Quoted(p)))
		}
		at = p.Config.ParentUID
	}
}

// --- rename

func checkRename(s *step) *model.Refusal {
	name := cleanName(model.ArgsOf[model.NewName](&s.op).Name)
	if s.trial && name == "" {
		return nil
	}
	if r := checkName(s, name); r != nil {
		return r
	}
	if name == s.task.Config.Name {
		return s.refuse(model.CodeRefused, model.GuardName, "it already has this name", "choose another name")
	}
	return nil
}

func doRename(s *step) *model.Refusal {
	name := cleanName(model.ArgsOf[model.NewName](&s.op).Name)
	s.head = fmt.Sprintf("rename %s to %s", model.Quoted(s.task), model.Quote(name))
	s.detail(model.TextField("from", s.task.Config.Name))
	s.detail(model.TextField("to", name))
	s.note(s.op.UID).Config.Name = name
	s.touched[s.op.UID].files.Config = true
	return nil
}
