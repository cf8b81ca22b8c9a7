package edits

import (
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

func milestoneRows() []machine.Row {
	some := machine.Need(model.GuardMilestone, "a milestone", checkMilestone)
	fields := machine.Need(model.GuardValue, "a name without invisible characters", checkMilestoneFields)
	return []machine.Row{
		machine.EditRow(model.CreateMilestone, model.MilestoneEdit{}, doCreateMilestone, []machine.Guard{machine.NeedActor, needMilestones, machine.Need(model.GuardMilestone, "a name and an id that no milestone has", checkNewMilestone), fields}),
		machine.EditRow(model.EditMilestone, model.MilestoneEdit{}, doEditMilestone, []machine.Guard{machine.NeedActor, needMilestones, some, fields}),
		{Transition: model.Transition{Name: model.RemoveMilestone, Takes: model.MilestoneEdit{}, Dangerous: true}, Checks: []machine.Guard{machine.NeedActor, needMilestones, some}, Do: doRemoveMilestone},
		machine.EditRow(model.AssignMilestone, model.MilestoneEdit{}, doAssignMilestone, machine.OnTask(needMilestones, some)),
	}
}

// Milestones is milestones.json as the operation has left it so far.
func Milestones(x *machine.Tx) model.Milestones {
	if x.ChangedMilestones != nil {
		return *x.ChangedMilestones
	}
	if w, ok := x.World.(model.Milestoned); ok {
		return w.MilestoneFile()
	}
	return model.Milestones{}
}

// SetMilestones makes ms the after-image of milestones.json.
func SetMilestones(x *machine.Tx, ms model.Milestones) { x.ChangedMilestones = &ms }

var needMilestones = machine.Need(model.GuardReadable, "a readable milestones.json", func(s *machine.Step) *model.Refusal {
	if !Milestones(s.Tx).Broken {
		return nil
	}
	return s.Refuse(model.CodeRefused, model.GuardReadable, "parts of milestones.json are unreadable and would be lost",
		"fix it first; `vespe store doctor` shows where")
})

func checkMilestone(s *machine.Step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.Op)
	switch {
	case s.Op.Args == nil && s.Trial, s.Op.Args != nil && e.ID == "" && s.Op.Name == model.AssignMilestone:
		return nil
	case e.ID == "":
		return s.Refuse(model.CodeUsage, model.GuardMilestone, "no milestone was given", "name a milestone")
	}
	ms := Milestones(s.Tx)
	if ms.Index(e.ID) >= 0 {
		return nil
	}
	_, err := ms.Find(e.ID)
	r := s.Refuse(model.CodeNotFound, model.GuardMilestone, "unknown milestone "+model.Quote(e.ID), "")
	if found, ok := err.(*model.Refusal); ok { //nolint:errorlint // it is never wrapped
		r.Hint = found.Hint
	} else {
		r.Hint = "check its id: `vespe milestone` lists the ids"
	}
	return r
}

func checkNewMilestone(s *machine.Step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.Op)
	if e.Name == nil {
		if s.Trial {
			return nil
		}
		return s.Refuse(model.CodeUsage, model.GuardMilestone, "a new milestone needs a name", "give it one")
	}
	if r := checkCalled(s, *e.Name, ""); r != nil || e.ID == "" {
		return r
	}
	if !model.ValidMilestoneID(e.ID) {
		return s.Refuse(model.CodeInvalid, model.GuardMilestone, model.Quote(e.ID)+" cannot be the id of a milestone",
			`use at most 64 letters and digits; ".", "_" and "-" are allowed between them`)
	}
	for _, x := range Milestones(s.Tx).List {
		if strings.EqualFold(x.ID, e.ID) || strings.EqualFold(x.Name, e.ID) {
			return s.Refuse(model.CodeRefused, model.GuardMilestone, calledMilestone(&x)+" already exists", "use another id")
		}
	}
	return nil
}

// checkCalled refuses a name by which another milestone than the one with an id is known: whoever
// said it later could mean either.
func checkCalled(s *machine.Step, name, id string) *model.Refusal {
	name = CleanName(name)
	for _, x := range Milestones(s.Tx).List {
		if x.ID != id && (strings.EqualFold(x.Name, name) || strings.EqualFold(x.ID, name)) {
			return s.Refuse(model.CodeRefused, model.GuardMilestone, calledMilestone(&x)+" already exists", "give it another name")
		}
	}
	return nil
}

// checkMilestoneFields refuses what could not be read back.
func checkMilestoneFields(s *machine.Step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.Op)
	if e.Name != nil {
		if r := CheckName(s, CleanName(*e.Name)); r != nil {
			return r
		}
	}
	if e.Description != nil && (!utf8.ValidString(*e.Description) || len(*e.Description) > machine.MaxNote) {
		return s.Refuse(model.CodeInvalid, model.GuardText, "the description is too long, or not valid UTF-8", "shorten it or save it as UTF-8")
	}
	if i := Milestones(s.Tx).Index(e.ID); i >= 0 && e.Name != nil {
		if x := Milestones(s.Tx).List[i]; CleanName(*e.Name) != x.Name {
			if r := checkCalled(s, *e.Name, x.ID); r != nil {
				return r
			}
		}
	}
	if e.Before != nil && *e.Before != "" && Milestones(s.Tx).Index(*e.Before) < 0 {
		return s.Refuse(model.CodeNotFound, model.GuardMilestone, "unknown milestone "+model.Quote(*e.Before), "`vespe milestone` lists them")
	}
	return nil
}

// fillMilestone puts what an edit says into a milestone, and returns what is different now.
func fillMilestone(e *model.MilestoneEdit, x *model.Milestone) (changed []string) {
	set := func(what string, dst *string, to *string, clean func(string) string) {
		if to == nil {
			return
		}
		if text := clean(*to); text != *dst {
			*dst = text
			changed = append(changed, what)
		}
	}
	set("name", &x.Name, e.Name, CleanName)
	set("description", &x.Description, e.Description, strings.TrimSpace)
	return changed
}

// placed is a list with the milestone at i put before the one with an id, or last.
func placed(list []model.Milestone, i int, before string) []model.Milestone {
	x := list[i]
	if x.ID == before {
		return list
	}
	list = slices.Delete(list, i, i+1)
	at := slices.IndexFunc(list, func(m model.Milestone) bool { return m.ID == before })
	if before == "" || at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, x)
}

// calledMilestone is how a milestone is named in a sentence.
func calledMilestone(m *model.Milestone) string {
	if m.Name == "" || m.Name == m.ID {
		return "milestone " + m.ID
	}
	return "milestone " + m.ID + " " + model.Quote(m.Name)
}

func doCreateMilestone(s *machine.Step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.Op)
	ms := Milestones(s.Tx).Clone()
	x := model.Milestone{ID: e.ID}
	if x.ID == "" {
		x.ID = ms.FreeID(*e.Name)
	}
	fillMilestone(&e, &x)
	ms.List = append(ms.List, x)
	if e.Before != nil {
		ms.List = placed(ms.List, len(ms.List)-1, *e.Before)
	}
	SetMilestones(s.Tx, ms)
	s.Tx.Milestone = x.ID
	s.Deed = model.Deed{Verb: "create", Object: calledMilestone(&x)}
	return nil
}

func doEditMilestone(s *machine.Step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.Op)
	ms := Milestones(s.Tx).Clone()
	i := ms.Index(e.ID)
	s.Tx.Milestone = e.ID
	changed := fillMilestone(&e, &ms.List[i])
	s.Deed = model.Deed{Verb: "edit", Object: calledMilestone(&ms.List[i])}
	if e.Before != nil {
		was := slices.IndexFunc(ms.List, func(m model.Milestone) bool { return m.ID == e.ID })
		ms.List = placed(ms.List, i, *e.Before)
		if ms.Index(e.ID) != was {
			changed = append(changed, "place")
		}
	}
	if len(changed) == 0 {
		s.Quiet = true
		s.Say(machine.NothingToDo)
		return nil
	}
	s.Say(machine.ChangedFields, strings.Join(changed, ", "))
	SetMilestones(s.Tx, ms)
	return nil
}

// doRemoveMilestone takes a milestone away; its tasks stay, in none.
func doRemoveMilestone(s *machine.Step) *model.Refusal {
	id := model.ArgsOf[model.MilestoneEdit](&s.Op).ID
	ms := Milestones(s.Tx).Clone()
	i := ms.Index(id)
	s.Tx.Milestone = id
	s.Deed = model.Deed{Verb: "remove", Object: calledMilestone(&ms.List[i])}
	n := len(ms.List[i].TaskIDs)
	ms.List = slices.Delete(ms.List, i, i+1)
	if w, ok := s.World.(model.Milestoned); ok {
		for _, uid := range w.NamedIn(id) {
			t, ok := s.World.Task(uid)
			if !ok || t.Unreadable() {
				continue
			}
			unname(s.Tx, uid)
			n++
		}
	}
	if n > 0 {
		s.Say(machine.LoseMilestone, model.Plural(n, "task has", "tasks have"))
	}
	SetMilestones(s.Tx, ms)
	return nil
}

// unname takes the milestone out of a task's spec.json.
func unname(x *machine.Tx, uid model.UID) {
	t := x.Note(uid)
	t.Spec = t.Spec.Clone()
	t.Spec.MilestoneID = ""
	x.Touched[uid].Files.Spec = true
}

// Unlist takes a task out of every milestone's list, and reports whether it was in one.
func Unlist(ms *model.Milestones, uid model.UID) (was bool) {
	for i := range ms.List {
		n := len(ms.List[i].TaskIDs)
		ms.List[i].TaskIDs = slices.DeleteFunc(ms.List[i].TaskIDs, func(u model.UID) bool { return u == uid })
		was = was || len(ms.List[i].TaskIDs) < n
	}
	return was
}

// doAssignMilestone puts a task into the list of a milestone. It is in one place only: what its
// spec.json says goes.
func doAssignMilestone(s *machine.Step) *model.Refusal {
	ms := Milestones(s.Tx).Clone()
	to := model.ArgsOf[model.MilestoneEdit](&s.Op).ID
	named := ""
	if s.Task.Spec != nil {
		named = s.Task.Spec.MilestoneID
	}
	was := named
	if k := ms.Holder(s.Op.UID); k >= 0 {
		was = ms.List[k].ID
	}
	s.Tx.Milestone = to
	if to == "" {
		s.Deed = model.Deed{Verb: "unassign", Object: model.Quoted(s.Task)}
		if was != "" {
			s.Deed.Object += " from milestone " + was
		}
	} else {
		s.Deed = model.Deed{Verb: "assign", Object: model.Quoted(s.Task) + " to " + calledMilestone(&ms.List[ms.Index(to)])}
	}
	if was == to && (named == "" || named == to) {
		s.Quiet = true
		s.Say(map[bool]model.EffectKind{true: machine.HasNoMilestone, false: machine.IsInMilestone}[to == ""])
		return nil
	}
	listed := Unlist(&ms, s.Op.UID)
	if to != "" {
		k := ms.Index(to)
		ms.List[k].TaskIDs = append(ms.List[k].TaskIDs, s.Op.UID)
	}
	if listed || to != "" {
		SetMilestones(s.Tx, ms)
	}
	s.Note(s.Op.UID)
	if named != "" {
		unname(s.Tx, s.Op.UID)
	}
	if was != "" {
		s.Detail(model.TextField("from", was))
	}
	if to != "" {
		s.Detail(model.TextField("to", to))
	}
	return nil
}

// renamed keeps a task in one milestone when its spec.json comes to name another: it leaves
// the lists.
func renamed(s *machine.Step, was, is *model.Spec) {
	if was.MilestoneID == is.MilestoneID {
		return
	}
	if ms := Milestones(s.Tx); !ms.Broken && ms.Holder(s.Op.UID) >= 0 {
		ms = ms.Clone()
		Unlist(&ms, s.Op.UID)
		SetMilestones(s.Tx, ms)
	}
}
