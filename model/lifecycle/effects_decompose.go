package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// doDecompose makes the subtasks. Those that wait for no other of them wait for what the task itself waits for. One of a
// plan has the objective and the part of the plan that it has there, and waits for its own verdict: who waited for the task
// still does. Of a part of the work the plan is still to be written, and who waited for the task waits for the last part.
func doDecompose(s *step) *model.Refusal {
	d := model.ArgsOf[model.Decomposition](&s.op)
	whole := s.note(s.op.UID)
	dependents := s.w.DependentUIDs(whole.UID)
	order, _ := subtasksInOrder(&d)
	uids := make([]model.UID, len(d.Subtasks))
	for i := range uids {
		uids[i] = d.Subtasks[i].UID
	}
	for _, i := range order {
		deps := slices.Clone(d.Subtasks[i].DependsOn)
		for _, k := range subtasksBefore(&d, i) {
			deps = append(deps, uids[k])
		}
		if len(deps) == 0 {
			deps = slices.Clone(whole.DependsOn)
		}
		if r := s.makeSubtask(whole, i, deps); r != nil {
			return r
		}
	}
	s.head = fmt.Sprintf("decompose %s into %s", model.Quoted(whole), model.Plural(len(uids), "subtask", "subtasks"))
	s.detail(model.ListField("subtasks", uids))
	if d.Plan != "" {
		s.detail(model.TextField("plan", d.Plan))
		s.say("their plans wait for review")
		if r := s.listPlanned(); r != nil {
			return r
		}
	} else {
		s.listParts(whole.UID, uids)
		if r := s.repoint(dependents, whole.UID, uids[len(uids)-1], "the last of them"); r != nil {
			return r
		}
	}
	return s.waitForAll(whole, uids)
}

// makeSubtask makes one subtask of a decomposition, which waits for deps.
func (s *step) makeSubtask(whole *model.Task, i int, deps []model.UID) *model.Refusal {
	d := model.ArgsOf[model.Decomposition](&s.op)
	p := &d.Subtasks[i]
	spec, called, text := plannedSpec(whole, d.Plan, p), p.Key+" of the plan of "+model.Quoted(whole), p.Objective
	if d.Plan == "" {
		objective, _, r := s.doc(whole, model.Objective)
		if r != nil {
			return r
		}
		spec, called = partSpec(whole, p.Spec), fmt.Sprintf("part %d of %d of %s", i+1, len(d.Subtasks), model.Quoted(whole))
		text = partText(called, spec, objective.Body)
	}
	t := s.newTask(p.UID, cleanName(p.Name), whole.UID, deps, spec)
	s.emit(model.Event{
		Name: model.CreateTask, UID: t.UID, Actor: s.op.Actor, To: model.Created, Cause: whole.UID, Summary: fmt.Sprintf("create %s, %s", model.Quoted(t), called),
	})
	if r := s.newObjective(t, text); r != nil || d.Plan == "" {
		return r
	}
	return s.fire(model.Op{ID: s.op.ID, At: s.op.At, Name: model.DefinePlan, Actor: s.op.Actor, UID: t.UID, Args: model.NewPlan{Text: p.Plan}}, t.UID)
}

// waitForAll lets a working task wait for all that was made of it.
func (s *step) waitForAll(parent *model.Task, uids []model.UID) *model.Refusal {
	if parent.Status.CurrentState != model.Working {
		return nil
	}
	if run := parent.Status.CurrentRun; run != "" {
		s.warnings = append(s.warnings, fmt.Sprintf("%s works on %s now (%s); it waits for the subtasks",
			model.OrSomebody(parent.Status.AssignedAgentUID), model.Quoted(parent), run))
	}
	for _, uid := range uids {
		if r := s.fire(model.Op{ID: s.op.ID, At: s.op.At, Name: model.SpawnSubtask, Actor: s.op.Actor, UID: parent.UID, Args: model.SubtaskRef{Subtask: uid}}, uid); r != nil {
			return r
		}
	}
	s.also(model.Quoted(parent) + " waits for them")
	return nil
}

// listPlanned puts the new tasks into the milestones that the plan names, and makes those that are not there.
func (s *step) listPlanned() *model.Refusal {
	b := model.ArgsOf[model.Decomposition](&s.op)
	ms := s.milestones()
	if ms.Broken {
		s.warnings = append(s.warnings, "parts of milestones.json are unreadable: the tasks get no milestone")
		return nil
	}
	var made []string
	for i := range b.Subtasks {
		name := cleanName(b.Subtasks[i].Milestone)
		if name == "" {
			continue
		}
		called := func(m model.Milestone) bool { return strings.EqualFold(m.Name, name) || strings.EqualFold(m.ID, name) }
		k := slices.IndexFunc(s.milestones().List, called)
		if k < 0 {
			if r := s.fire(model.Op{
				ID: s.op.ID, At: s.op.At, Name: model.CreateMilestone, Actor: s.op.Actor, Args: model.MilestoneEdit{Name: &name},
			}, s.op.UID); r != nil {
				return r
			}
			k = len(s.milestones().List) - 1
			made = append(made, model.Quote(name))
		}
		ms := s.milestones().Clone()
		ms.List[k].TaskIDs = append(ms.List[k].TaskIDs, b.Subtasks[i].UID)
		s.setMilestones(ms)
	}
	if n := len(made); n > 0 {
		s.say(model.VerbFor(n, "new milestone ", "new milestones ") + strings.Join(made, ", "))
	}
	return nil
}

// listParts puts parts behind their task in the milestone that lists it. Where the task's spec.json names
// one, the parts' do, too.
func (s *step) listParts(whole model.UID, parts []model.UID) {
	ms := s.milestones()
	k := ms.Holder(whole)
	if k < 0 || ms.Broken {
		return
	}
	ms = ms.Clone()
	list := &ms.List[k].TaskIDs
	*list = slices.Insert(*list, slices.Index(*list, whole)+1, parts...)
	s.setMilestones(ms)
	for _, uid := range parts {
		s.note(uid).Spec.MilestoneID = "" // it is in one place only
	}
}

// unlistParts takes parts out of the lists of milestones.
func (s *step) unlistParts(parts []model.UID) {
	ms := s.milestones().Clone()
	listed := false
	for _, uid := range parts {
		listed = unlist(&ms, uid) || listed
	}
	if listed && !ms.Broken {
		s.setMilestones(ms)
	}
}

// repoint lets everyone who waits for one task wait for another, which is called so in a sentence. Who
// has ended waits for nobody.
func (s *step) repoint(dependents []model.UID, from, to model.UID, called string) *model.Refusal {
	var moved []model.UID
	for _, uid := range dependents {
		d, ok := s.w.Task(uid)
		switch {
		case !ok || uid == to || d.IsFinal() || d.Unreadable() || !slices.Contains(d.DependsOn, from) || s.isAbove(uid, to):
			continue
		case d.Status.CurrentState == model.Working && d.Status.CurrentRun != "":
			s.warnings = append(s.warnings, fmt.Sprintf("%s still depends on %s: someone is working on it now", model.Quoted(d), s.named(from)))
			continue
		}
		for _, op := range []model.Op{{Name: model.AddDependency, Args: model.DependencyEdit{DependsOn: []model.UID{to}}}, {Name: model.RemoveDependency, Args: model.DependencyEdit{DependsOn: []model.UID{from}}}} {
			op.ID, op.At, op.Actor, op.UID = s.op.ID, s.op.At, s.op.Actor, uid
			if op.Name == model.AddDependency && slices.Contains(d.DependsOn, to) {
				continue
			}
			if r := s.fire(op, s.op.UID); r != nil {
				return r
			}
		}
		moved = append(moved, uid)
	}
	if len(moved) == 0 {
		return nil
	}
	s.say(fmt.Sprintf("%s %s for %s", s.listed(moved), model.VerbFor(len(moved), "waits", "wait"), called))
	var changed []model.UID
	for _, uid := range moved {
		if d, ok := s.w.Task(uid); ok && len(d.Status.ChangedBecause) > 0 {
			changed = append(changed, uid)
		}
	}
	if len(changed) > 0 {
		s.say(fmt.Sprintf("what %s %s accepted with no longer holds, so %s changed",
			s.listed(changed), model.VerbFor(len(changed), "was", "were"), model.VerbFor(len(changed), "it is", "they are")))
	}
	return nil
}

// isAbove says whether a task is above another in the tree.
func (x *tx) isAbove(uid, below model.UID) bool {
	seen := map[model.UID]bool{}
	for at := below; at != "" && !seen[at]; {
		seen[at] = true
		t, ok := x.w.Task(at)
		if !ok {
			return false
		}
		if at = t.Config.ParentUID; at == uid {
			return true
		}
	}
	return false
}

// inherit gives the spec of a subtask what holds for the whole of it.
func inherit(sp *model.Spec, whole *model.Task) *model.Spec {
	sp.Context = model.Extra(sp.Context).With(model.TextField(model.SplitFromKey, string(whole.UID)))
	was := whole.Spec
	if was == nil {
		return sp
	}
	sp.GoalType, sp.Requester, sp.Intent, sp.MaxAttempts = was.GoalType, was.Requester, was.Intent, was.MaxAttempts
	sp.Constraints = slices.Clone(was.Constraints)
	sp.RequiresHITL = sp.RequiresHITL || was.RequiresHITL
	if sp.Risk == "" {
		sp.Risk = was.Risk
	}
	for _, l := range was.Labels {
		if !slices.Contains(sp.Labels, l) {
			sp.Labels = append(sp.Labels, l)
		}
	}
	if sp.Priority == "" {
		sp.Priority = was.Priority
		if by := was.PriorityBy; by != nil {
			sp.PriorityBy = &model.PriorityBy{Priority: by.Priority, Rule: by.Rule} // what a rule set, rules may set again
		}
	}
	return sp
}

// plannedSpec is the spec of a task of a plan: what the plan says, and what holds for the whole.
func plannedSpec(whole *model.Task, plan string, p *model.Subtask) *model.Spec {
	sp := p.Spec.Clone()
	if sp == nil {
		sp = new(model.Spec)
	}
	sp.Source = plannedSource(plan, p.Key)
	return inherit(sp, whole)
}

// partSpec is the spec of a part of the work: its files and criteria, and what holds for the whole. Steps, commands that
// verify the whole, and ids in other systems stay with the task.
func partSpec(whole *model.Task, own *model.Spec) *model.Spec {
	was := whole.Spec
	sp := &model.Spec{
		UserStory: was.UserStory, Source: was.Source, MilestoneID: was.MilestoneID,
		FilesToCreate: slices.Clone(own.FilesToCreate), FilesToModify: slices.Clone(own.FilesToModify), TestFiles: slices.Clone(own.TestFiles),
	}
	for _, c := range own.AcceptanceCriteria {
		sp.AcceptanceCriteria = append(sp.AcceptanceCriteria, model.Criterion{Text: c.Text})
	}
	return inherit(sp, whole)
}

// maxPassedOn is how long an objective may be to be repeated in those of the parts, in bytes.
const maxPassedOn = 64 << 10

// partText is the objective of a part of the work.
func partText(called string, sp *model.Spec, objective []byte) string {
	text := strings.ToUpper(called[:1]) + called[1:] + ".\n" + model.WorkOf("", sp).Lists()
	if whole := strings.TrimSpace(string(objective)); whole != "" && len(whole) <= maxPassedOn {
		text += "\n---\n\nThe whole task. Other subtasks do the other parts:\n\n" + whole + "\n"
	}
	return text
}

// begun is a part, or a task below one, that work has begun on; nil when there is none.
func (x *tx) begun(parts []*model.Task) *model.Task {
	for _, part := range parts {
		for _, uid := range append([]model.UID{part.UID}, x.openBelow(part.UID)...) {
			t, ok := x.w.Task(uid)
			if ok && (t.Status.CurrentState == model.Working || t.Status.CurrentState == model.Errored || t.Status.CurrentRun != "" || t.Ended()) {
				return t
			}
		}
	}
	return nil
}

// lastDecompose are the subtasks that undo takes back: those of a decomposition that came after the last verdict. Where
// it cannot be taken back any more, the verdict may be.
func (s *step) lastDecompose() []*model.Task {
	parts := s.parts(s.task)
	if u := s.task.Status.Undo; len(parts) == 0 || u != nil && (u.At.After(parts[0].Config.CreatedAt) || s.begun(parts) != nil) {
		return nil
	}
	return parts
}

// undoableDecompose refuses once work has begun on a subtask.
func (s *step) undoableDecompose(parts []*model.Task) *model.Refusal {
	if t := s.begun(parts); t != nil {
		how := "work has begun on " + model.Quoted(t)
		if t.Ended() {
			how = model.Quoted(t) + " " + endedHow(t)
		}
		return s.refuse(model.CodeRefused, model.GuardUndo, "it was decomposed, and "+how, "abort the subtasks that you no longer want")
	}
	for _, part := range parts {
		if part.Unreadable() {
			return refuseUnreadable(s, part)
		}
	}
	return nil
}

// takeBackDecompose aborts the subtasks, the last first, so that nobody waits for one of them. Who waits for
// one waits for the task again.
func (s *step) takeBackDecompose(parts []*model.Task) *model.Refusal {
	s.note(s.op.UID)
	uids := make([]model.UID, len(parts))
	for i, part := range parts {
		uids[i] = part.UID
	}
	s.head = fmt.Sprintf("undo the decomposition of %s into %s", model.Quoted(s.task), model.Plural(len(uids), "subtask", "subtasks"))
	s.detail(model.TextField("transition", string(model.Decompose)))
	s.detail(model.ListField("subtasks", uids))
	s.unlistParts(uids)
	for _, uid := range slices.Backward(uids) {
		others := slices.DeleteFunc(slices.Clone(s.w.DependentUIDs(uid)), func(d model.UID) bool { return slices.Contains(uids, d) })
		if r := s.repoint(others, uid, s.op.UID, "it again"); r != nil {
			return r
		}
		if r := s.fire(model.Op{
			ID: s.op.ID, At: s.op.At, Name: model.Abort, Actor: s.op.Actor, UID: uid, Reason: "the decomposition of " + model.Quoted(s.task) + " was undone",
		}, s.op.UID); r != nil {
			return r
		}
	}
	return nil
}

// plannedSource is spec.source of a task that was made of a plan.
func plannedSource(plan, key string) string { return model.PlannedPrefix + plan + "#" + key }
