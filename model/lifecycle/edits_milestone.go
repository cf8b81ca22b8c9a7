package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
)

// isOnMilestone says whether an operation is about a milestone, or the guidance of all, rather than a task.
func isOnMilestone(op *model.Op) bool {
	return op.Name == model.EditGuidance || op.Name == model.CreateMilestone || op.Name == model.EditMilestone || op.Name == model.RemoveMilestone
}

func milestoneRows() []Transition {
	some := check{GuardInfo{model.GuardMilestone, "a milestone"}, checkMilestone}
	fields := check{GuardInfo{model.GuardValue, "a name without invisible characters, and valid dates"}, checkMilestoneFields}
	return []Transition{
		{
			Name: model.CreateMilestone, Takes: model.MilestoneEdit{}, Who: WhoAny,
			checks: []check{needActor, needMilestones, {GuardInfo{model.GuardMilestone, "a name and an id that no milestone has"}, checkNewMilestone}, fields},
			effect: doCreateMilestone,
		},
		{
			Name: model.EditMilestone, Takes: model.MilestoneEdit{}, Who: WhoAny,
			checks: []check{needActor, needMilestones, some, fields}, effect: doEditMilestone,
		},
		{
			Name: model.RemoveMilestone, Takes: model.MilestoneEdit{}, Who: WhoAny, Dangerous: true,
			checks: []check{needActor, needMilestones, some}, effect: doRemoveMilestone,
		},
		{
			Name: model.AssignMilestone, Takes: model.MilestoneEdit{}, Who: WhoAny,
			checks: []check{needTask, needReadable, needActor, needRevision, needMilestones, some}, effect: doAssignMilestone,
		},
	}
}

// milestones is milestones.json as the operation has left it so far.
func (x *tx) milestones() model.Milestones {
	if x.changedMilestones != nil {
		return *x.changedMilestones
	}
	if w, ok := x.w.(model.Milestoned); ok {
		return w.MilestoneFile()
	}
	return model.Milestones{}
}

// setMilestones makes ms the after-image of milestones.json.
func (x *tx) setMilestones(ms model.Milestones) { x.changedMilestones = &ms }

var needMilestones = check{GuardInfo{model.GuardReadable, "a readable milestones.json"}, func(s *step) *model.Refusal {
	if !s.milestones().Broken {
		return nil
	}
	return s.refuse(model.CodeRefused, model.GuardReadable, "parts of milestones.json are unreadable and would be lost",
		"fix it first; `vespe store doctor` shows where")
}}

func checkMilestone(s *step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.op)
	switch {
	case s.op.Args == nil && s.trial, s.op.Args != nil && e.ID == "" && s.op.Name == model.AssignMilestone:
		return nil
	case e.ID == "":
		return s.refuse(model.CodeUsage, model.GuardMilestone, "no milestone was given", "name a milestone")
	}
	ms := s.milestones()
	if ms.Index(e.ID) >= 0 {
		return nil
	}
	_, err := ms.Find(e.ID)
	r := s.refuse(model.CodeNotFound, model.GuardMilestone, "unknown milestone "+model.Quote(e.ID), "")
	if found, ok := err.(*model.Refusal); ok { //nolint:errorlint // it is never wrapped
		r.Hint = found.Hint
	} else {
		r.Hint = "check its id: `vespe milestone` lists the ids"
	}
	return r
}

func checkNewMilestone(s *step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.op)
	if e.Name == nil {
		if s.trial {
			return nil
		}
		return s.refuse(model.CodeUsage, model.GuardMilestone, "a new milestone needs a name", "give it one")
	}
	if r := checkCalled(s, *e.Name, ""); r != nil || e.ID == "" {
		return r
	}
	if !model.ValidMilestoneID(e.ID) {
		return s.refuse(model.CodeInvalid, model.GuardMilestone, model.Quote(e.ID)+" cannot be the id of a milestone",
			`use at most 64 letters and digits; ".", "_" and "-" are allowed between them`)
	}
	for _, x := range s.milestones().List {
		if strings.EqualFold(x.ID, e.ID) || strings.EqualFold(x.Name, e.ID) {
			return s.refuse(model.CodeRefused, model.GuardMilestone, calledMilestone(&x)+" already exists", "use another id")
		}
	}
	return nil
}

// checkCalled refuses a name by which another milestone than the one with an id is known: whoever
// said it later could mean either.
func checkCalled(s *step, name, id string) *model.Refusal {
	name = cleanName(name)
	for _, x := range s.milestones().List {
		if x.ID != id && (strings.EqualFold(x.Name, name) || strings.EqualFold(x.ID, name)) {
			return s.refuse(model.CodeRefused, model.GuardMilestone, calledMilestone(&x)+" already exists", "give it another name")
		}
	}
	return nil
}

// checkMilestoneFields refuses what could not be read back, and an end before the beginning.
func checkMilestoneFields(s *step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.op)
	if e.Name != nil {
		if r := checkName(s, cleanName(*e.Name)); r != nil {
			return r
		}
	}
	if e.Description != nil && (!utf8.ValidString(*e.Description) || len(*e.Description) > maxNote) {
		return s.refuse(model.CodeInvalid, model.GuardText, "the description is too long, or not valid UTF-8", "shorten it or save it as UTF-8")
	}
	x := model.Milestone{}
	if i := s.milestones().Index(e.ID); i >= 0 {
		x = s.milestones().List[i]
		if e.Name != nil && cleanName(*e.Name) != x.Name {
			if r := checkCalled(s, *e.Name, x.ID); r != nil {
				return r
			}
		}
	}
	for _, d := range []struct {
		text *string
		day  *model.Date
	}{{e.Start, &x.Start}, {e.Due, &x.Due}} {
		if d.text == nil {
			continue
		}
		day, ok := model.ParseDate(*d.text)
		if !ok && strings.TrimSpace(*d.text) != "" {
			return s.refuse(model.CodeInvalid, model.GuardValue, model.Quote(*d.text)+" is not a date", "write it like 2026-01-31; an empty value removes it")
		}
		*d.day = day
	}
	if x.Start != "" && x.Due != "" && x.Due < x.Start {
		return s.refuse(model.CodeInvalid, model.GuardValue, fmt.Sprintf("it would be due on %s, before its start on %s", x.Due, x.Start), "change the dates")
	}
	if e.Before != nil && *e.Before != "" && s.milestones().Index(*e.Before) < 0 {
		return s.refuse(model.CodeNotFound, model.GuardMilestone, "unknown milestone "+model.Quote(*e.Before), "`vespe milestone` lists them")
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
	day := func(what string, dst *model.Date, to *string) {
		set(what, (*string)(dst), to, func(s string) string {
			d, _ := model.ParseDate(s)
			return string(d)
		})
	}
	set("name", &x.Name, e.Name, cleanName)
	set("description", &x.Description, e.Description, strings.TrimSpace)
	day("start", &x.Start, e.Start)
	day("due", &x.Due, e.Due)
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

func doCreateMilestone(s *step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.op)
	ms := s.milestones().Clone()
	x := model.Milestone{ID: e.ID}
	if x.ID == "" {
		x.ID = ms.FreeID(*e.Name)
	}
	fillMilestone(&e, &x)
	ms.List = append(ms.List, x)
	if e.Before != nil {
		ms.List = placed(ms.List, len(ms.List)-1, *e.Before)
	}
	s.setMilestones(ms)
	s.tx.milestone = x.ID
	s.head = "create " + calledMilestone(&x)
	return nil
}

func doEditMilestone(s *step) *model.Refusal {
	e := model.ArgsOf[model.MilestoneEdit](&s.op)
	ms := s.milestones().Clone()
	i := ms.Index(e.ID)
	s.tx.milestone = e.ID
	changed := fillMilestone(&e, &ms.List[i])
	s.head = "edit " + calledMilestone(&ms.List[i])
	if e.Before != nil {
		was := slices.IndexFunc(ms.List, func(m model.Milestone) bool { return m.ID == e.ID })
		ms.List = placed(ms.List, i, *e.Before)
		if ms.Index(e.ID) != was {
			changed = append(changed, "place")
		}
	}
	if len(changed) == 0 {
		s.quiet = true
		s.say("nothing would change")
		return nil
	}
	s.say(strings.Join(changed, ", "))
	s.setMilestones(ms)
	return nil
}

// doRemoveMilestone takes a milestone away; its tasks stay, in none.
func doRemoveMilestone(s *step) *model.Refusal {
	id := model.ArgsOf[model.MilestoneEdit](&s.op).ID
	ms := s.milestones().Clone()
	i := ms.Index(id)
	s.tx.milestone = id
	s.head = "remove " + calledMilestone(&ms.List[i])
	n := len(ms.List[i].TaskIDs)
	ms.List = slices.Delete(ms.List, i, i+1)
	if w, ok := s.w.(model.Milestoned); ok {
		for _, uid := range w.NamedIn(id) {
			t, ok := s.w.Task(uid)
			if !ok || t.Unreadable() {
				continue
			}
			s.unname(uid)
			n++
		}
	}
	if n > 0 {
		s.say(model.Plural(n, "task has", "tasks have") + " no milestone now")
	}
	s.setMilestones(ms)
	return nil
}

// unname takes the milestone out of a task's spec.json.
func (x *tx) unname(uid model.UID) {
	t := x.note(uid)
	t.Spec = t.Spec.Clone()
	t.Spec.MilestoneID = ""
	x.touched[uid].files.Spec = true
}

// unlist takes a task out of every milestone's list, and reports whether it was in one.
func unlist(ms *model.Milestones, uid model.UID) (was bool) {
	for i := range ms.List {
		n := len(ms.List[i].TaskIDs)
		ms.List[i].TaskIDs = slices.DeleteFunc(ms.List[i].TaskIDs, func(u model.UID) bool { return u == uid })
		was = was || len(ms.List[i].TaskIDs) < n
	}
	return was
}

// doAssignMilestone puts a task into the list of a milestone. It is in one place only: what its
// spec.json says goes.
func doAssignMilestone(s *step) *model.Refusal {
	ms := s.milestones().Clone()
	to := model.ArgsOf[model.MilestoneEdit](&s.op).ID
	named := ""
	if s.task.Spec != nil {
		named = s.task.Spec.MilestoneID
	}
	was := named
	if k := ms.Holder(s.op.UID); k >= 0 {
		was = ms.List[k].ID
	}
	s.tx.milestone = to
	if to == "" {
		s.head = "unassign " + model.Quoted(s.task)
		if was != "" {
			s.head += " from milestone " + was
		}
	} else {
		s.head = fmt.Sprintf("assign %s to %s", model.Quoted(s.task), calledMilestone(&ms.List[ms.Index(to)]))
	}
	if was == to && (named == "" || named == to) {
		s.quiet = true
		s.say(map[bool]string{true: "it has no milestone", false: "it is already in it"}[to == ""])
		return nil
	}
	listed := unlist(&ms, s.op.UID)
	if to != "" {
		k := ms.Index(to)
		ms.List[k].TaskIDs = append(ms.List[k].TaskIDs, s.op.UID)
	}
	if listed || to != "" {
		s.setMilestones(ms)
	}
	s.note(s.op.UID)
	if named != "" {
		s.unname(s.op.UID)
	}
	if was != "" {
		s.detail(model.TextField("from", was))
	}
	if to != "" {
		s.detail(model.TextField("to", to))
	}
	return nil
}

// renamed keeps a task in one milestone when its spec.json comes to name another: it leaves
// the lists.
func (s *step) renamed(was, is *model.Spec) {
	if was.MilestoneID == is.MilestoneID {
		return
	}
	if ms := s.milestones(); !ms.Broken && ms.Holder(s.op.UID) >= 0 {
		ms = ms.Clone()
		unlist(&ms, s.op.UID)
		s.setMilestones(ms)
	}
}
