package edits

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

func checkPriority(s *machine.Step) *model.Refusal {
	if s.Op.Args != nil || s.Trial {
		return nil
	}
	return s.Refuse(model.CodeUsage, model.GuardValue, "no priority was given", "give a priority and its rule")
}

// doPrioritize leaves a priority alone that somebody gave.
func doPrioritize(s *machine.Step) *model.Refusal {
	by := model.ArgsOf[model.PriorityBy](&s.Op)
	was := s.Task.Spec.Clone()
	if was == nil {
		was = new(model.Spec)
	}
	switch {
	case was.GivenPriority():
		s.Quiet = true
		s.Say(machine.PriorityStays)
		return nil
	case was.Priority == by.Priority && (by.Priority == "" || was.RuledPriority() == by.Rule):
		s.Quiet = true
		s.Say(machine.NothingToDo)
		return nil
	}
	t := s.Note(s.Op.UID)
	t.Spec = was
	if by.Priority == "" {
		s.Deed = model.Deed{Verb: "remove", Object: "the priority of " + model.Quoted(t)}
		s.Say(machine.NoRule)
		t.Spec.PriorityBy = nil
	} else {
		s.Deed = model.Deed{Verb: "set", Object: fmt.Sprintf("the priority of %s to %s", model.Quoted(t), by.Priority)}
		s.Say(machine.ByRule, by.Rule)
		s.Detail(model.TextField("rule", by.Rule))
		t.Spec.PriorityBy = &model.PriorityBy{Priority: by.Priority, Rule: by.Rule}
	}
	if was.Priority != "" {
		s.Detail(model.TextField("from", string(was.Priority)))
	}
	if by.Priority != "" {
		s.Detail(model.TextField("to", string(by.Priority)))
	}
	t.Spec.Priority = by.Priority
	s.Touched[t.UID].Files.Spec = true
	return nil
}
