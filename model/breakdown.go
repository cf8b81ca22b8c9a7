package model

import (
	"fmt"
	"slices"
	"strings"
)

// BreakDown makes subtasks of the tasks that an accepted plan lists.
const BreakDown Name = "break_down"

// maxPlanned is how many subtasks one operation makes.
const maxPlanned = 200

// Breaking is what break_down needs: the tasks of a plan that are to be made.
type Breaking struct {
	Plan  string // hash of the plan that they were read from; it has to be the accepted one
	Parts []PlannedTask
}

// PlannedTask is one task of a plan. Its uid is chosen by the caller (the store fills it in when it is empty).
type PlannedTask struct {
	UID       UID
	Key       string // what the plan calls it; kept in spec.json with the plan's hash (Task.PlannedBy)
	Name      string
	Objective string
	Plan      string
	After     []int  // the parts that it waits for, by their places in Breaking.Parts
	DependsOn []UID  // tasks that are there
	Milestone string // its name or id; made where there is none
	Spec      *Spec
}

// WithUIDs is a copy of b in which each part has a uid. It is nil when b is.
func (b *Breaking) WithUIDs(newUID func() UID) *Breaking {
	if b == nil {
		return nil
	}
	out := &Breaking{b.Plan, slices.Clone(b.Parts)}
	for i := range out.Parts {
		if out.Parts[i].UID == "" {
			out.Parts[i].UID = newUID()
		}
	}
	return out
}

const plannedPrefix = "plan:"

// plannedSource is spec.source of a task that was made of a plan.
func plannedSource(plan, key string) string { return plannedPrefix + plan + "#" + key }

// PlannedBy says of which plan t was made, by the hash of its bytes, and what it is called there. Whoever
// wrote it, it counts only of a subtask.
func (t *Task) PlannedBy() (plan, key string, ok bool) {
	if t.Spec == nil || t.Config.ParentUID == "" {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(t.Spec.Source, plannedPrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "#")
}

var needBreakable = check{GuardInfo{GuardBreakdown, "an accepted plan, and tasks of it that are not there yet"}, (*step).checkBreakable}

func (s *step) checkBreakable() *Refusal {
	refuse := func(why, hint string) *Refusal { return s.refuse(CodeRefused, GuardBreakdown, why, hint) }
	accepted := s.task.Status.AcceptedPlan
	switch {
	case s.task.ended():
		return refuse("it "+endedHow(s.task), "create a new task for what is still to be done")
	case accepted == nil:
		return refuse("its plan is not accepted", "accept the plan first; what it would be broken into can be looked at before")
	case len(s.task.Status.ChangedBecause) > 0:
		return refuse("it is changed since its plan was accepted", "revalidate it, or replan it")
	}
	b := s.op.Breakdown
	if b == nil {
		if s.trial {
			return nil
		}
		return s.refuse(CodeInvalid, GuardBreakdown, "no tasks were given", "say what it is to be broken into")
	}
	switch {
	case b.Plan != accepted.PlanHash:
		return s.refuse(CodeConflict, GuardBreakdown, "the tasks were read from another plan than the accepted one",
			"look at them again; only the accepted plan is broken down")
	case len(b.Parts) == 0:
		return refuse("nothing is left to be made of its plan", "what is left out, or done by the plan's words, has to be chosen")
	case len(b.Parts) > maxPlanned:
		return refuse(fmt.Sprintf("these are %d tasks; at most %d are made at once", len(b.Parts), maxPlanned), "leave some out")
	}
	if r := s.checkPlannedOnce(); r != nil {
		return r
	}
	for i := range b.Parts {
		if r := s.checkPlanned(i); r != nil {
			return r
		}
	}
	return s.checkPlannedCycle()
}

// checkPlannedOnce refuses what is there already, or is given twice.
func (s *step) checkPlannedOnce() *Refusal {
	b := s.op.Breakdown
	keys := map[string]bool{}
	for i := range b.Parts {
		key := strings.ToLower(b.Parts[i].Key)
		if key == "" || keys[key] {
			return s.refuse(CodeInvalid, GuardBreakdown, fmt.Sprintf("task %d of the plan has no key of its own", i+1), "give each another")
		}
		keys[key] = true
	}
	for _, uid := range s.w.ChildUIDs(s.task.UID) {
		child, ok := s.w.Task(uid)
		if !ok || child.Status.CurrentState == Aborted {
			continue
		}
		if plan, key, ok := child.PlannedBy(); ok && plan == b.Plan && keys[strings.ToLower(key)] {
			return s.refuse(CodeConflict, GuardBreakdown, fmt.Sprintf("%s of the plan is there already, as %s", key, quoted(child)),
				"look again: only what is not there is proposed")
		}
	}
	return nil
}

func (s *step) checkPlanned(i int) *Refusal {
	p := &s.op.Breakdown.Parts[i]
	if r := s.checkName(cleanName(p.Name)); r != nil {
		return r
	}
	for _, text := range []string{p.Objective, p.Plan} {
		if strings.TrimSpace(text) == "" || len(text) > maxDocument {
			return s.refuse(CodeInvalid, GuardText, fmt.Sprintf("%s has no objective or no plan, or one that is too large", quote(p.Name)), "give it both")
		}
	}
	if r := s.checkSpec(p.Spec, GuardValue); r != nil {
		return r
	}
	for _, uid := range p.DependsOn {
		if _, ok := s.w.Task(uid); !ok {
			return s.refuse(CodeNotFound, GuardDependency, fmt.Sprintf("there is no task %q to depend on", uid), "look at it again")
		}
	}
	for _, k := range p.After {
		if k < 0 || k >= len(s.op.Breakdown.Parts) || k == i {
			return s.refuse(CodeInvalid, GuardDependency, fmt.Sprintf("%s is to wait for what is no other part", quote(p.Name)), "name another of them")
		}
	}
	if s.trial && p.UID == "" {
		return nil
	}
	var before []UID
	for k := range i {
		before = append(before, s.op.Breakdown.Parts[k].UID)
	}
	return s.checkFree(p.UID, before)
}

// checkPlannedCycle refuses tasks that wait for each other.
func (s *step) checkPlannedCycle() *Refusal {
	if _, left := s.op.Breakdown.inOrder(); len(left) > 0 {
		var names []string
		for _, i := range left[:min(len(left), 6)] {
			names = append(names, s.op.Breakdown.Parts[i].Key)
		}
		return s.refuse(CodeRefused, GuardAcyclic, "tasks of the plan wait for each other: "+strings.Join(names, ", "), "leave one of them out, or mend the plan")
	}
	return nil
}

// inOrder are the parts so that each stands behind those that it waits for; left are those that
// cannot be placed.
func (b *Breaking) inOrder() (order, left []int) {
	placed := make([]bool, len(b.Parts))
	for range b.Parts {
		n := len(order)
		for i := range b.Parts {
			if !placed[i] && !slices.ContainsFunc(b.Parts[i].After, func(k int) bool { return !placed[k] }) {
				placed[i] = true
				order = append(order, i)
			}
		}
		if len(order) == n {
			break
		}
	}
	for i := range b.Parts {
		if !placed[i] {
			left = append(left, i)
		}
	}
	return order, left
}

// doBreakDown makes the tasks below the one whose plan they are of, with the objective and the part of the
// plan that each has there: every one waits for its own verdict. Those that wait for no other of them wait for what
// the task itself waits for.
func doBreakDown(s *step) *Refusal {
	b := s.op.Breakdown
	parent := s.note(s.op.UID)
	order, _ := b.inOrder()
	uids := make([]UID, len(b.Parts))
	for _, i := range order {
		p := &b.Parts[i]
		uids[i] = p.UID
		deps := slices.Clone(p.DependsOn)
		for _, k := range p.After {
			deps = append(deps, b.Parts[k].UID)
		}
		if len(deps) == 0 {
			deps = slices.Clone(parent.DependsOn)
		}
		t := s.newTask(p.UID, cleanName(p.Name), parent.UID, deps, s.safer(parent, plannedSpec(parent, b.Plan, p)))
		s.emit(Event{
			Name: CreateTask, UID: t.UID, Actor: s.op.Actor, To: Created, Cause: parent.UID,
			Summary: fmt.Sprintf("create %s, %s of the plan of %s", quoted(t), p.Key, quoted(parent)),
		})
		if r := s.newObjective(t, p.Objective); r != nil {
			return r
		}
		if r := s.fire(Op{ID: s.op.ID, At: s.op.At, Name: DefinePlan, Actor: s.op.Actor, UID: t.UID, Text: p.Plan}, t.UID); r != nil {
			return r
		}
	}
	s.head = fmt.Sprintf("break down %s into %s", quoted(parent), plural(len(uids), "subtask", "subtasks"))
	s.detail(TextField("plan", b.Plan))
	s.detail(ListField("subtasks", uids))
	s.say("their plans wait for review")
	if r := s.listPlanned(); r != nil {
		return r
	}
	return s.waitForAll(parent, uids, "subtasks")
}

// listPlanned puts the new tasks into the milestones that the plan names, and makes those that are not there.
func (s *step) listPlanned() *Refusal {
	b := s.op.Breakdown
	ms := s.milestones()
	if ms.Broken {
		s.warnings = append(s.warnings, "milestones.json cannot be read in full: the tasks are put into no milestone")
		return nil
	}
	var made []string
	for i := range b.Parts {
		name := cleanName(b.Parts[i].Milestone)
		if name == "" {
			continue
		}
		called := func(m Milestone) bool { return strings.EqualFold(m.Name, name) || strings.EqualFold(m.ID, name) }
		k := slices.IndexFunc(s.milestones().List, called)
		if k < 0 {
			if r := s.fire(Op{
				ID: s.op.ID, At: s.op.At, Name: CreateMilestone, Actor: s.op.Actor, Milestone: &MilestoneEdit{Name: &name},
			}, s.op.UID); r != nil {
				return r
			}
			k = len(s.milestones().List) - 1
			made = append(made, quote(name))
		}
		ms := s.milestones().Clone()
		ms.List[k].TaskIDs = append(ms.List[k].TaskIDs, b.Parts[i].UID)
		s.setMilestones(ms)
	}
	if n := len(made); n > 0 {
		s.say(verb(n, "new milestone ", "new milestones ") + strings.Join(made, ", "))
	}
	return nil
}

// plannedSpec is the spec of a task of a plan: what the plan says, and what holds for the whole of it.
func plannedSpec(whole *Task, plan string, p *PlannedTask) *Spec {
	sp := p.Spec.Clone()
	if sp == nil {
		sp = new(Spec)
	}
	sp.Source = plannedSource(plan, p.Key)
	sp.Context = Extra(sp.Context).With(TextField(splitFrom, string(whole.UID)))
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
			sp.PriorityBy = &PriorityBy{Priority: by.Priority, Rule: by.Rule} // what a rule set, rules may set again
		}
	}
	return sp
}
