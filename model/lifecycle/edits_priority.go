package lifecycle

import (
	"fmt"

	"vespe/model"
)

func priorityRow() Transition {
	return Transition{
		Name: model.Prioritize, Takes: model.PriorityBy{}, Who: WhoAny,
		checks: []check{needTask, needReadable, needActor, needRevision, {GuardInfo{model.GuardValue, "what the rules say"}, func(s *step) *model.Refusal {
			if s.op.Args != nil || s.trial {
				return nil
			}
			return s.refuse(model.CodeUsage, model.GuardValue, "no priority was given", "give a priority and its rule")
		}}},
		effect: doPrioritize,
	}
}

// doPrioritize leaves a priority alone that somebody gave.
func doPrioritize(s *step) *model.Refusal {
	by := model.ArgsOf[model.PriorityBy](&s.op)
	was := s.task.Spec.Clone()
	if was == nil {
		was = new(model.Spec)
	}
	switch {
	case was.GivenPriority():
		s.quiet = true
		s.say("its priority was set by hand and stays")
		return nil
	case was.Priority == by.Priority && (by.Priority == "" || was.RuledPriority() == by.Rule):
		s.quiet = true
		s.say("nothing would change")
		return nil
	}
	t := s.note(s.op.UID)
	t.Spec = was
	if by.Priority == "" {
		s.head = fmt.Sprintf("remove the priority of %s", model.Quoted(t))
		s.say("no rule sets it now")
		t.Spec.PriorityBy = nil
	} else {
		s.head = fmt.Sprintf("set the priority of %s to %s", model.Quoted(t), by.Priority)
		s.say(by.Rule)
		s.detail(model.TextField("rule", by.Rule))
		t.Spec.PriorityBy = &model.PriorityBy{Priority: by.Priority, Rule: by.Rule}
	}
	if was.Priority != "" {
		s.detail(model.TextField("from", string(was.Priority)))
	}
	if by.Priority != "" {
		s.detail(model.TextField("to", string(by.Priority)))
	}
	t.Spec.Priority = by.Priority
	s.touched[t.UID].files.Spec = true
	return nil
}
