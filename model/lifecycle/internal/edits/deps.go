package edits

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

func checkAddDeps(s *machine.Step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.Op).DependsOn
	if len(deps) == 0 {
		if s.Trial {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardDependency, "no dependency was given", "name a task that it depends on")
	}
	if r := checkDepCount(s, len(s.Task.DependsOn)+len(deps)); r != nil {
		return r
	}
	for i, d := range deps {
		dep, ok := s.World.Task(d)
		switch {
		case d == s.Task.UID:
			r := s.Refuse(model.CodeRefused, model.GuardAcyclic, "a task cannot depend on itself", "choose another task")
			r.Cycle = []model.UID{d, d}
			return r
		case !ok:
			return s.Refuse(model.CodeNotFound, model.GuardDependency, fmt.Sprintf("unknown dependency %q", d), "`vespe ls` lists tasks")
		case slices.Contains(s.Task.DependsOn, d), slices.Contains(deps[:i], d):
			return s.Refuse(model.CodeRefused, model.GuardEdge, "it already depends on "+model.Quoted(dep), "there is nothing to do")
		case s.Task.Status.CurrentState == model.Working && s.Task.Status.CurrentRun != "" && !s.Policy.Met(dep):
			return s.Refuse(model.CodeRefused, model.GuardNoRun,
				fmt.Sprintf("%s is not completed, and %s is already working on this task (%s)",
					model.Quoted(dep), model.OrSomebody(s.Task.Status.AssignedAgentUID), s.Task.Status.CurrentRun),
				"wait for the run to end, or replan")
		}
	}
	return checkAcyclic(s, s.Task.UID, deps)
}

// checkDepCount refuses a list of dependencies that nobody would read.
func checkDepCount(s *machine.Step, n int) *model.Refusal {
	if n <= model.MaxDependencies {
		return nil
	}
	return s.Refuse(model.CodeRefused, model.GuardDependency, fmt.Sprintf("a task can depend on at most %d tasks", model.MaxDependencies),
		"add a task in between that depends on some of them")
}

// checkAcyclic refuses edges from uid to deps that would close a cycle, and spells the
// cycle out: each task in it depends on the next.
func checkAcyclic(s *machine.Step, uid model.UID, deps []model.UID) *model.Refusal {
	if len(deps) == 0 || len(s.World.DependentUIDs(uid)) == 0 {
		return nil // nobody depends on it, so nothing leads back
	}
	path := model.DependencyPath(s.World, deps, uid)
	if path == nil {
		return nil
	}
	cycle := append([]model.UID{uid}, path...)
	r := s.Refuse(model.CodeRefused, model.GuardAcyclic, "it would wait for itself: "+s.Spelled(cycle),
		"remove one of these dependencies first")
	r.Cycle = cycle
	return r
}

// doAddDeps adds the edges. An accepted task records what the new dependencies are, as it
// did for the others when it was accepted.
func doAddDeps(s *machine.Step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.Op).DependsOn
	t := s.SetDeps(s.Op.UID, append(slices.Clone(s.Task.DependsOn), deps...))
	s.Deed = model.Deed{Verb: "make", Object: model.Quoted(t) + " depend on " + s.Listed(deps)}
	s.Detail(model.ListField("dependencies", deps))
	if t.Status.AcceptedPlan != nil {
		now, r := binding.DepHashes(s.Tx, &model.Task{DependsOn: deps})
		if r != nil {
			return r
		}
		for _, h := range now {
			t.Status.ParentContentHashes = binding.PutHash(t.Status.ParentContentHashes, h.Key, h.Hash)
		}
	}
	waits := slices.DeleteFunc(binding.Unmet(s.Tx, t), func(d model.UID) bool { return !slices.Contains(deps, d) })
	if len(waits) > 0 && !t.Ended() {
		s.Say(machine.WaitsFor, waits)
	}
	binding.MarkTerms(s, t, binding.TermsOf(s.Task, ""))
	warnAncestors(s.Tx, t)
	return nil
}

func checkRemoveDeps(s *machine.Step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.Op).DependsOn
	if len(deps) == 0 {
		if s.Trial && len(s.Task.DependsOn) > 0 {
			return nil
		}
		if s.Trial {
			return s.Refuse(model.CodeRefused, model.GuardEdge, "it has no dependencies", "there is nothing to do")
		}
		return s.Refuse(model.CodeInvalid, model.GuardEdge, "no dependency was given", "name the dependency to remove")
	}
	for _, d := range deps {
		if !slices.Contains(s.Task.DependsOn, d) {
			return s.Refuse(model.CodeRefused, model.GuardEdge, "it does not depend on "+s.Named(d), "there is nothing to do")
		}
	}
	return nil
}

// doRemoveDeps removes the edges and the hashes recorded for them. That the task is changed
// stays: what a person accepted was made with what the dependency then was.
func doRemoveDeps(s *machine.Step) *model.Refusal {
	deps := model.ArgsOf[model.DependencyEdit](&s.Op).DependsOn
	held := !binding.MayBegin(s.Tx, s.Task)
	gone := func(d model.UID) bool { return slices.Contains(deps, d) }
	t := s.SetDeps(s.Op.UID, slices.DeleteFunc(slices.Clone(s.Task.DependsOn), gone))
	s.Deed = model.Deed{Verb: "make", Object: model.Quoted(t) + " no longer depend on " + s.Listed(deps)}
	s.Detail(model.ListField("dependencies", deps))
	t.Status.ParentContentHashes = slices.DeleteFunc(t.Status.ParentContentHashes, func(h model.ContentHash) bool {
		for _, p := range binding.DepParts {
			if d, ok := strings.CutSuffix(h.Key, p.Key); ok && gone(model.UID(d)) {
				return true
			}
		}
		return false
	})
	binding.MarkTerms(s, t, binding.TermsOf(s.Task, ""))
	if held && binding.Startable(s.Tx, t) {
		s.Say(machine.CanStart)
	}
	return nil
}
