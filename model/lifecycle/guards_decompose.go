package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/lifecycle/internal/edits"
	"vespe/model/lifecycle/internal/machine"
)

// maxSubtasks is how many subtasks one operation makes.
const maxSubtasks = 200

// subtasksBefore are the places of the subtasks that one waits for.
func subtasksBefore(d *model.Decomposition, i int) []int {
	switch {
	case d.Plan != "":
		return d.Subtasks[i].After
	case i > 0:
		return []int{i - 1}
	}
	return nil
}

// parts are the subtasks that t was decomposed into and that were not taken back, in the order of their making.
func parts(x *machine.Tx, t *model.Task) []*model.Task {
	var out []*model.Task
	for _, c := range x.World.ChildUIDs(t.UID) {
		if child, ok := x.World.Task(c); ok && child.Status.CurrentState != model.Aborted && child.SplitFrom() == t.UID {
			out = append(out, child)
		}
	}
	slices.SortStableFunc(out, func(a, b *model.Task) int {
		if slices.Contains(b.DependsOn, a.UID) {
			return -1
		}
		if slices.Contains(a.DependsOn, b.UID) {
			return 1
		}
		return cmp.Compare(a.UID, b.UID)
	})
	return out
}

var needDecomposable = machine.Need(model.GuardDecompose, "an accepted plan with tasks that don't exist yet, or parts that cover all of the work", checkDecompose)

func checkDecompose(s *machine.Step) *model.Refusal {
	switch d := model.ArgsOf[model.Decomposition](&s.Op); {
	case s.Task.Ended():
		return s.Refuse(model.CodeRefused, model.GuardDecompose, "it "+machine.EndedHow(s.Task), "create a new task for the rest of the work")
	case d.Plan != "":
		return checkPlanned(s)
	case s.Op.Args != nil:
		return checkParts(s)
	}
	if checkPlanAccepted(s) != nil {
		if r := checkWork(s, s.Task.Work()); r != nil {
			return r
		}
	}
	if s.Trial {
		return nil
	}
	return s.Refuse(model.CodeInvalid, model.GuardDecompose, "no subtasks were given", "list the subtasks")
}

// checkWork refuses to take work apart of which there is too little, or which is taken apart already.
func checkWork(s *machine.Step, work complexity.Work) *model.Refusal {
	refuse := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeRefused, model.GuardDecompose, why, hint)
	}
	if work.Files()+len(work.Criteria) < 2 {
		return refuse("it has fewer than two files and acceptance criteria", "add its files with `vespe task set`")
	}
	for _, c := range s.World.ChildUIDs(s.Task.UID) {
		if child, ok := s.World.Task(c); ok && !child.Ended() && child.Phase() == "" {
			return refuse(fmt.Sprintf("it already has subtasks, such as %s", model.Quoted(child)), "decompose these, or abort them first")
		}
	}
	return nil
}

func checkParts(s *machine.Step) *model.Refusal {
	work, subtasks := s.Task.Work(), model.ArgsOf[model.Decomposition](&s.Op).Subtasks
	if r := checkWork(s, work); r != nil || s.Trial && len(subtasks) == 0 {
		return r
	}
	parts := make([]complexity.Work, len(subtasks))
	for i := range subtasks {
		parts[i] = model.WorkOf(subtasks[i].Name, subtasks[i].Spec)
	}
	if why := complexity.Check(work, parts); why != "" {
		hint := "look at the task again: every file and criterion must be in exactly one part"
		if len(parts) < 2 {
			hint = "divide it in another way, or list the tasks in its plan"
		}
		return s.Refuse(model.CodeInvalid, model.GuardDecompose, why, hint)
	}
	for i := range subtasks {
		if r := checkSubtask(s, i); r != nil {
			return r
		}
	}
	return nil
}

// checkSubtask refuses a name or a uid that cannot be.
func checkSubtask(s *machine.Step, i int) *model.Refusal {
	all := model.ArgsOf[model.Decomposition](&s.Op).Subtasks
	if r := edits.CheckName(s, edits.CleanName(all[i].Name)); r != nil || s.Trial && all[i].UID == "" {
		return r
	}
	before := make([]model.UID, i)
	for k := range before {
		before[k] = all[k].UID
	}
	return edits.CheckFree(s, all[i].UID, before)
}

func checkPlanAccepted(s *machine.Step) *model.Refusal {
	refuse := func(why, hint string) *model.Refusal {
		return s.Refuse(model.CodeRefused, model.GuardDecompose, why, hint)
	}
	switch {
	case s.Task.Status.AcceptedPlan == nil:
		return refuse("its plan is not accepted", "accept the plan first; you can preview its tasks before that")
	case len(s.Task.Status.ChangedBecause) > 0:
		return refuse("it has changed since its plan was accepted", "revalidate or replan it")
	}
	return nil
}

func checkPlanned(s *machine.Step) *model.Refusal {
	if r := checkPlanAccepted(s); r != nil {
		return r
	}
	d := model.ArgsOf[model.Decomposition](&s.Op)
	switch n := len(d.Subtasks); {
	case d.Plan != s.Task.Status.AcceptedPlan.PlanHash:
		return s.Refuse(model.CodeConflict, model.GuardDecompose, "the tasks come from a plan that isn't the accepted one",
			"look at them again; only the accepted plan can be decomposed")
	case n == 0:
		return s.Refuse(model.CodeRefused, model.GuardDecompose, "its plan has no tasks left to create", "change the plan, or choose the tasks with :decompose in the workbench")
	case n > maxSubtasks:
		return s.Refuse(model.CodeRefused, model.GuardDecompose, fmt.Sprintf("%d tasks are too many; at most %d can be created at once", n, maxSubtasks), "shorten the plan, or leave some out with :decompose in the workbench")
	}
	if r := checkPlannedOnce(s); r != nil {
		return r
	}
	for i := range d.Subtasks {
		if r := checkPlannedTask(s, i); r != nil {
			return r
		}
	}
	return checkPlannedCycle(s)
}

// checkPlannedOnce refuses what is there already, or is given twice.
func checkPlannedOnce(s *machine.Step) *model.Refusal {
	b := model.ArgsOf[model.Decomposition](&s.Op)
	keys := map[string]bool{}
	for i := range b.Subtasks {
		key := strings.ToLower(b.Subtasks[i].Key)
		if key == "" || keys[key] {
			return s.Refuse(model.CodeInvalid, model.GuardDecompose, fmt.Sprintf("task %d of the plan has no unique key", i+1), "give each task its own key")
		}
		keys[key] = true
	}
	for _, uid := range s.World.ChildUIDs(s.Task.UID) {
		child, ok := s.World.Task(uid)
		if !ok || child.Status.CurrentState == model.Aborted {
			continue
		}
		if plan, key, ok := child.PlannedBy(); ok && plan == b.Plan && keys[strings.ToLower(key)] {
			return s.Refuse(model.CodeConflict, model.GuardDecompose, fmt.Sprintf("%s of the plan already exists as %s", key, model.Quoted(child)),
				"look again: only missing tasks are proposed")
		}
	}
	return nil
}

func checkPlannedTask(s *machine.Step, i int) *model.Refusal {
	all := model.ArgsOf[model.Decomposition](&s.Op).Subtasks
	p := &all[i]
	if r := checkSubtask(s, i); r != nil {
		return r
	}
	for _, text := range []string{p.Objective, p.Plan} {
		if strings.TrimSpace(text) == "" || len(text) > machine.MaxDocument {
			return s.Refuse(model.CodeInvalid, model.GuardText, fmt.Sprintf("%s has no objective or no plan, or one that is too large", model.Quote(p.Name)), "add them or shorten them")
		}
	}
	if r := edits.CheckSpec(s, p.Spec, model.GuardValue); r != nil {
		return r
	}
	for _, uid := range p.DependsOn {
		if _, ok := s.World.Task(uid); !ok {
			return s.Refuse(model.CodeNotFound, model.GuardDependency, fmt.Sprintf("unknown dependency %q", uid), "look at it again")
		}
	}
	for _, k := range p.After {
		if k < 0 || k >= len(all) || k == i {
			return s.Refuse(model.CodeInvalid, model.GuardDependency, fmt.Sprintf("%s depends on something that isn't one of the other subtasks", model.Quote(p.Name)), "make it depend on one of them")
		}
	}
	return nil
}

// checkPlannedCycle refuses tasks that wait for each other.
func checkPlannedCycle(s *machine.Step) *model.Refusal {
	d := model.ArgsOf[model.Decomposition](&s.Op)
	if _, left := subtasksInOrder(&d); len(left) > 0 {
		var names []string
		for _, i := range left[:min(len(left), 6)] {
			names = append(names, d.Subtasks[i].Key)
		}
		return s.Refuse(model.CodeRefused, model.GuardAcyclic, "tasks of the plan wait for each other: "+strings.Join(names, ", "), "fix the plan, or leave one of them out with :decompose in the workbench")
	}
	return nil
}

// subtasksInOrder are the parts so that each stands behind those that it waits for; left are those that
// cannot be placed.
func subtasksInOrder(b *model.Decomposition) (order, left []int) {
	placed := make([]bool, len(b.Subtasks))
	for range b.Subtasks {
		n := len(order)
		for i := range b.Subtasks {
			if !placed[i] && !slices.ContainsFunc(subtasksBefore(b, i), func(k int) bool { return !placed[k] }) {
				placed[i] = true
				order = append(order, i)
			}
		}
		if len(order) == n {
			break
		}
	}
	for i := range b.Subtasks {
		if !placed[i] {
			left = append(left, i)
		}
	}
	return order, left
}
