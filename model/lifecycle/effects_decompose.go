package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/edits"
	"vespe/model/lifecycle/internal/machine"
)

// doDecompose makes the subtasks. Those that wait for no other of them wait for what the task itself waits for. One of a
// plan has the objective and the part of the plan that it has there, and waits for its own verdict: who waited for the task
// still does. Of a part of the work the plan is still to be written, and who waited for the task waits for the last part.
func doDecompose(s *machine.Step) *model.Refusal {
	d := model.ArgsOf[model.Decomposition](&s.Op)
	whole := s.Note(s.Op.UID)
	dependents := s.World.DependentUIDs(whole.UID)
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
		if r := makeSubtask(s, whole, i, deps); r != nil {
			return r
		}
	}
	s.Deed = model.Decompose.Deed(model.Quoted(whole) + " into " + model.Plural(len(uids), "subtask", "subtasks"))
	s.Detail(model.ListField("subtasks", uids))
	if d.Plan != "" {
		s.Detail(model.TextField("plan", d.Plan))
		s.Say(machine.PlansWait)
		if r := listPlanned(s); r != nil {
			return r
		}
	} else {
		listParts(s, whole.UID, uids)
		if r := repoint(s, dependents, whole.UID, uids[len(uids)-1], "the last of them"); r != nil {
			return r
		}
	}
	return waitForAll(s, whole, uids)
}

// makeSubtask makes one subtask of a decomposition, which waits for deps.
func makeSubtask(s *machine.Step, whole *model.Task, i int, deps []model.UID) *model.Refusal {
	d := model.ArgsOf[model.Decomposition](&s.Op)
	p := &d.Subtasks[i]
	spec, called, text := plannedSpec(whole, d.Plan, p), p.Key+" of the plan of "+model.Quoted(whole), p.Objective
	if d.Plan == "" {
		objective, _, r := s.Doc(whole, model.Objective)
		if r != nil {
			return r
		}
		spec, called = partSpec(whole, p.Spec), fmt.Sprintf("part %d of %d of %s", i+1, len(d.Subtasks), model.Quoted(whole))
		text = partText(called, spec, objective.Body)
	}
	t := edits.NewTask(s, p.UID, edits.CleanName(p.Name), whole.UID, deps, spec)
	s.Emit(model.Event{
		Name: model.CreateTask, UID: t.UID, Actor: s.Op.Actor, To: model.Created, Cause: whole.UID, Summary: fmt.Sprintf("Created %s, %s", model.Quoted(t), called),
	})
	if r := edits.NewObjective(s, t, text); r != nil || d.Plan == "" {
		return r
	}
	return s.Fire(model.Op{ID: s.Op.ID, At: s.Op.At, Name: model.DefinePlan, Actor: s.Op.Actor, UID: t.UID, Args: model.NewPlan{Text: p.Plan}}, t.UID)
}

// waitForAll lets a working task wait for all that was made of it.
func waitForAll(s *machine.Step, parent *model.Task, uids []model.UID) *model.Refusal {
	if parent.Status.CurrentState != model.Working {
		return nil
	}
	if run := parent.Status.CurrentRun; run != "" {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s is working on %s (%s), which now waits for the subtasks",
			model.OrSomebody(parent.Status.AssignedAgentUID), model.Quoted(parent), run))
	}
	for _, uid := range uids {
		if r := s.Fire(model.Op{ID: s.Op.ID, At: s.Op.At, Name: model.SpawnSubtask, Actor: s.Op.Actor, UID: parent.UID, Args: model.SubtaskRef{Subtask: uid}}, uid); r != nil {
			return r
		}
	}
	s.Also(machine.WaitsForThem, parent)
	return nil
}

// listPlanned puts the new tasks into the milestones that the plan names, and makes those that are not there.
func listPlanned(s *machine.Step) *model.Refusal {
	b := model.ArgsOf[model.Decomposition](&s.Op)
	ms := edits.Milestones(s.Tx)
	if ms.Broken {
		s.Warnings = append(s.Warnings, "parts of milestones.json are unreadable: the tasks get no milestone")
		return nil
	}
	var made []string
	for i := range b.Subtasks {
		name := edits.CleanName(b.Subtasks[i].Milestone)
		if name == "" {
			continue
		}
		called := func(m model.Milestone) bool { return strings.EqualFold(m.Name, name) || strings.EqualFold(m.ID, name) }
		k := slices.IndexFunc(edits.Milestones(s.Tx).List, called)
		if k < 0 {
			if r := s.Fire(model.Op{
				ID: s.Op.ID, At: s.Op.At, Name: model.CreateMilestone, Actor: s.Op.Actor, Args: model.MilestoneEdit{Name: &name},
			}, s.Op.UID); r != nil {
				return r
			}
			k = len(edits.Milestones(s.Tx).List) - 1
			made = append(made, model.Quote(name))
		}
		ms := edits.Milestones(s.Tx).Clone()
		ms.List[k].TaskIDs = append(ms.List[k].TaskIDs, b.Subtasks[i].UID)
		edits.SetMilestones(s.Tx, ms)
	}
	if n := len(made); n > 0 {
		s.Say(machine.NewMilestones, model.VerbFor(n, "new milestone", "new milestones"), strings.Join(made, ", "))
	}
	return nil
}

// listParts puts parts behind their task in the milestone that lists it. Where the task's spec.json names
// one, the parts' do, too.
func listParts(s *machine.Step, whole model.UID, parts []model.UID) {
	ms := edits.Milestones(s.Tx)
	k := ms.Holder(whole)
	if k < 0 || ms.Broken {
		return
	}
	ms = ms.Clone()
	list := &ms.List[k].TaskIDs
	*list = slices.Insert(*list, slices.Index(*list, whole)+1, parts...)
	edits.SetMilestones(s.Tx, ms)
	for _, uid := range parts {
		s.Note(uid).Spec.MilestoneID = "" // it is in one place only
	}
}

// unlistParts takes parts out of the lists of milestones.
func unlistParts(s *machine.Step, parts []model.UID) {
	ms := edits.Milestones(s.Tx).Clone()
	listed := false
	for _, uid := range parts {
		listed = edits.Unlist(&ms, uid) || listed
	}
	if listed && !ms.Broken {
		edits.SetMilestones(s.Tx, ms)
	}
}

// repoint lets everyone who waits for one task wait for another, which is called so in a sentence. Who
// has ended waits for nobody.
func repoint(s *machine.Step, dependents []model.UID, from, to model.UID, called string) *model.Refusal {
	var moved []model.UID
	for _, uid := range dependents {
		d, ok := s.World.Task(uid)
		switch {
		case !ok || uid == to || d.IsFinal() || d.Unreadable() || !slices.Contains(d.DependsOn, from) || isAbove(s.Tx, uid, to):
			continue
		case d.Status.CurrentState == model.Working && d.Status.CurrentRun != "":
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s still depends on %s: someone is working on it now", model.Quoted(d), s.Named(from)))
			continue
		}
		for _, op := range []model.Op{{Name: model.AddDependency, Args: model.DependencyEdit{DependsOn: []model.UID{to}}}, {Name: model.RemoveDependency, Args: model.DependencyEdit{DependsOn: []model.UID{from}}}} {
			op.ID, op.At, op.Actor, op.UID = s.Op.ID, s.Op.At, s.Op.Actor, uid
			if op.Name == model.AddDependency && slices.Contains(d.DependsOn, to) {
				continue
			}
			if r := s.Fire(op, s.Op.UID); r != nil {
				return r
			}
		}
		moved = append(moved, uid)
	}
	if len(moved) == 0 {
		return nil
	}
	s.Say(machine.NowWaitFor, moved, model.VerbFor(len(moved), "waits", "wait"), called)
	var changed []model.UID
	for _, uid := range moved {
		if d, ok := s.World.Task(uid); ok && len(d.Status.ChangedBecause) > 0 {
			changed = append(changed, uid)
		}
	}
	if len(changed) > 0 {
		s.Say(machine.ChangesAccepted, changed, model.VerbFor(len(changed), "was", "were"), model.VerbFor(len(changed), "it is", "they are"))
	}
	return nil
}

// isAbove says whether a task is above another in the tree.
func isAbove(x *machine.Tx, uid, below model.UID) bool {
	seen := map[model.UID]bool{}
	for at := below; at != "" && !seen[at]; {
		seen[at] = true
		t, ok := x.World.Task(at)
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
	sp.Source = model.PlannedPrefix + plan + "#" + p.Key
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
func begun(x *machine.Tx, parts []*model.Task) *model.Task {
	for _, part := range parts {
		for _, uid := range append([]model.UID{part.UID}, x.OpenBelow(part.UID)...) {
			t, ok := x.World.Task(uid)
			if ok && (t.Status.CurrentState == model.Working || t.Status.CurrentState == model.Errored || t.Status.CurrentRun != "" || t.Ended()) {
				return t
			}
		}
	}
	return nil
}

// lastDecompose are the subtasks that undo takes back: those of a decomposition that came after the last verdict. Where
// it cannot be taken back any more, the verdict may be.
func lastDecompose(s *machine.Step) []*model.Task {
	parts := parts(s.Tx, s.Task)
	if u := s.Task.Status.Undo; len(parts) == 0 || u != nil && (u.At.After(parts[0].Config.CreatedAt) || begun(s.Tx, parts) != nil) {
		return nil
	}
	return parts
}

// undoableDecompose refuses once work has begun on a subtask.
func undoableDecompose(s *machine.Step, parts []*model.Task) *model.Refusal {
	if t := begun(s.Tx, parts); t != nil {
		how := "work has begun on " + model.Quoted(t)
		if t.Ended() {
			how = model.Quoted(t) + " " + machine.EndedHow(t)
		}
		return s.Refuse(model.CodeRefused, model.GuardUndo, "it was decomposed, and "+how, "abort the subtasks that you no longer want")
	}
	for _, part := range parts {
		if part.Unreadable() {
			return machine.RefuseUnreadable(s, part)
		}
	}
	return nil
}

// takeBackDecompose aborts the subtasks, the last first, so that nobody waits for one of them. Who waits for
// one waits for the task again.
func takeBackDecompose(s *machine.Step, parts []*model.Task) *model.Refusal {
	s.Note(s.Op.UID)
	uids := make([]model.UID, len(parts))
	for i, part := range parts {
		uids[i] = part.UID
	}
	s.Deed = model.Deed{Verb: "undo", Object: fmt.Sprintf("the decomposition of %s into %s", model.Quoted(s.Task), model.Plural(len(uids), "subtask", "subtasks"))}
	sayWhoDecided(s, parts[0].Config.CreatedBy)
	s.Detail(model.TextField("transition", string(model.Decompose)))
	s.Detail(model.ListField("subtasks", uids))
	unlistParts(s, uids)
	for _, uid := range slices.Backward(uids) {
		others := slices.DeleteFunc(slices.Clone(s.World.DependentUIDs(uid)), func(d model.UID) bool { return slices.Contains(uids, d) })
		if r := repoint(s, others, uid, s.Op.UID, "it again"); r != nil {
			return r
		}
		if r := s.Fire(model.Op{
			ID: s.Op.ID, At: s.Op.At, Name: model.Abort, Actor: s.Op.Actor, UID: uid, Reason: "the decomposition of " + model.Quoted(s.Task) + " was undone",
		}, s.Op.UID); r != nil {
			return r
		}
	}
	return nil
}
