package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

func checkAddDeps(s *step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.op).DependsOn
	if len(deps) == 0 {
		if s.trial {
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardDependency, "no dependency was given", "name a task that it depends on")
	}
	if r := checkDepCount(s, len(s.task.DependsOn)+len(deps)); r != nil {
		return r
	}
	for i, d := range deps {
		dep, ok := s.w.Task(d)
		switch {
		case d == s.task.UID:
			r := s.refuse(model.CodeRefused, model.GuardAcyclic, "a task cannot depend on itself", "choose another task")
			r.Cycle = []model.UID{d, d}
			return r
		case !ok:
			return s.refuse(model.CodeNotFound, model.GuardDependency, fmt.Sprintf("unknown dependency %q", d), "`vespe ls` lists tasks")
		case slices.Contains(s.task.DependsOn, d), slices.Contains(deps[:i], d):
			return s.refuse(model.CodeRefused, model.GuardEdge, "it already depends on "+model.Quoted(dep), "there is nothing to do")
		case s.task.Status.CurrentState == model.Working && s.task.Status.CurrentRun != "" && !s.policy.Met(dep):
			return s.refuse(model.CodeRefused, model.GuardNoRun,
				fmt.Sprintf("%s is not completed, and %s is already working on this task (%s)",
					model.Quoted(dep), model.OrSomebody(s.task.Status.AssignedAgentUID), s.task.Status.CurrentRun),
				"wait for the run to end, or replan")
		}
	}
	return checkAcyclic(s, s.task.UID, deps)
}

// checkDepCount refuses a list of dependencies that nobody would read.
func checkDepCount(s *step, n int) *model.Refusal {
	if n <= model.MaxDependencies {
		return nil
	}
	return s.refuse(model.CodeRefused, model.GuardDependency, fmt.Sprintf("a task can depend on at most %d tasks", model.MaxDependencies),
		"add a task in between that depends on some of them")
}

// checkAcyclic refuses edges from uid to deps that would close a cycle, and spells the
// cycle out: each task in it depends on the next.
func checkAcyclic(s *step, uid model.UID, deps []model.UID) *model.Refusal {
	if len(deps) == 0 || len(s.w.DependentUIDs(uid)) == 0 {
		return nil // nobody depends on it, so nothing leads back
	}
	path := model.DependencyPath(s.w, deps, uid)
	if path == nil {
		return nil
	}
	cycle := append([]model.UID{uid}, path...)
	r := s.refuse(model.CodeRefused, model.GuardAcyclic, "it would wait for itself: "+s.spelled(cycle),
		"remove one of these dependencies first")
	r.Cycle = cycle
	return r
}

// spelled is a cycle as people read it, the middle of a long one left out.
func (s *step) spelled(cycle []model.UID) string {
	names := make([]string, 0, len(cycle))
	for _, u := range cycle {
		if t, ok := s.w.Task(u); ok {
			names = append(names, model.Quoted(t))
		} else if n := model.ArgsOf[model.NewTask](&s.op); n.UID != "" && u == n.UID {
			names = append(names, model.Quote(n.Name))
		} else {
			names = append(names, model.Quote(string(u)))
		}
	}
	const most = 6
	if len(names) > most {
		names = append(append(names[:most-2:most-2], fmt.Sprintf("… %d more …", len(names)-most+1)), names[len(names)-1])
	}
	return strings.Join(names, " → ")
}

// cycler is a World that knows its dependency cycles without a search.
type cycler interface {
	// DependencyCycle spells out a cycle through uid, first = last; nil when there is none.
	DependencyCycle(uid model.UID) []model.UID
}

// cycleOf is the dependency cycle that t is in, first = last; nil when it is in none.
func (x *tx) cycleOf(t *model.Task) []model.UID {
	if len(t.DependsOn) == 0 {
		return nil
	}
	if w, ok := x.w.(cycler); ok {
		return w.DependencyCycle(t.UID)
	}
	return searchCycle(x.w, t.UID)
}

// searchCycle costs a walk over everything that uid depends on.
func searchCycle(w model.World, uid model.UID) []model.UID {
	t, ok := w.Task(uid)
	if !ok || len(w.DependentUIDs(uid)) == 0 && !slices.Contains(t.DependsOn, uid) {
		return nil
	}
	path := model.DependencyPath(w, t.DependsOn, uid)
	if path == nil {
		return nil
	}
	return append([]model.UID{uid}, path...)
}

// DependencyCycle is the base's as long as no edge is another.
func (o *Overlay) DependencyCycle(uid model.UID) []model.UID {
	if w, ok := o.base.(cycler); ok && len(o.links) == 0 {
		return w.DependencyCycle(uid)
	}
	return searchCycle(o, uid)
}

// doAddDeps adds the edges. An accepted task records what the new dependencies are, as it
// did for the others when it was accepted.
func doAddDeps(s *step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.op).DependsOn
	t := s.setDeps(s.op.UID, append(slices.Clone(s.task.DependsOn), deps...))
	s.head = fmt.Sprintf("make %s depend on %s", model.Quoted(t), s.listed(deps))
	s.detail(model.ListField("dependencies", deps))
	if t.Status.AcceptedPlan != nil {
		now, r := s.depHashes(&model.Task{DependsOn: deps})
		if r != nil {
			return r
		}
		for _, h := range now {
			t.Status.ParentContentHashes = putHash(t.Status.ParentContentHashes, h.Key, h.Hash)
		}
	}
	var unmet []model.UID
	for _, d := range s.unmet(t) {
		if slices.Contains(deps, d) {
			unmet = append(unmet, d)
		}
	}
	if len(unmet) > 0 && !t.Ended() {
		s.say("it waits for " + s.listed(unmet))
	}
	s.markTerms(t, termsOf(s.task, ""))
	s.warnAncestors(t)
	return nil
}

func checkRemoveDeps(s *step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.op).DependsOn
	if len(deps) == 0 {
		if s.trial && len(s.task.DependsOn) > 0 {
			return nil
		}
		if s.trial {
			return s.refuse(model.CodeRefused, model.GuardEdge, "it has no dependencies", "there is nothing to do")
		}
		return s.refuse(model.CodeInvalid, model.GuardEdge, "no dependency was given", "name the dependency to remove")
	}
	for _, d := range deps {
		if !slices.Contains(s.task.DependsOn, d) {
			return s.refuse(model.CodeRefused, model.GuardEdge, "it does not depend on "+s.named(d), "there is nothing to do")
		}
	}
	return nil
}

// doRemoveDeps removes the edges and the hashes recorded for them. That the task is changed
// stays: what a person accepted was made with what the dependency then was.
func doRemoveDeps(s *step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.op).DependsOn
	held := !s.mayBegin(s.task)
	gone := func(d model.UID) bool { return slices.Contains(deps, d) }
	t := s.setDeps(s.op.UID, slices.DeleteFunc(slices.Clone(s.task.DependsOn), gone))
	s.head = fmt.Sprintf("make %s no longer depend on %s", model.Quoted(t), s.listed(deps))
	s.detail(model.ListField("dependencies", deps))
	t.Status.ParentContentHashes = slices.DeleteFunc(t.Status.ParentContentHashes, func(h model.ContentHash) bool {
		for _, p := range depParts {
			if d, ok := strings.CutSuffix(h.Key, p.key); ok && gone(model.UID(d)) {
				return true
			}
		}
		return false
	})
	s.markTerms(t, termsOf(s.task, ""))
	if held && s.startable(t) {
		s.say("it becomes ready")
	}
	return nil
}

// NeedOps are the operations that accept needs, one a task, and those needs that cannot be accepted:
// alone they would close a cycle, or after the ones before them.
func NeedOps(s *model.Snapshot, needs []model.FileNeed, actor model.Actor) (ops []model.Op, left []model.FileNeed) {
	w := NewOverlay(s)
	at := map[model.UID]int{}
	for _, n := range needs {
		uid, on := s.UID(int(n.Task)), s.UID(int(n.On))
		c, err := Apply(w, model.Op{Name: model.AddDependency, UID: uid, Actor: actor, Args: model.DependencyEdit{DependsOn: []model.UID{on}}})
		if err != nil {
			left = append(left, n)
			continue
		}
		w.Absorb(c)
		k, ok := at[uid]
		if !ok {
			k, at[uid] = len(ops), len(ops)
			ops = append(ops, model.Op{Name: model.AddDependency, UID: uid, Actor: actor})
		}
		ops[k].Args = model.DependencyEdit{DependsOn: append(model.ArgsOf[model.DependencyEdit](&ops[k]).DependsOn, on)}
	}
	return ops, left
}
