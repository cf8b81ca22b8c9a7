package model

import "fmt"

func priorityRow() Transition {
	return Transition{
		Name: Prioritize, Takes: PriorityBy{}, Who: WhoAny,
		checks: []check{needTask, needReadable, needActor, needRevision, {GuardInfo{GuardValue, "what the rules say"}, func(s *step) *Refusal {
			if s.op.Args != nil || s.trial {
				return nil
			}
			return s.refuse(CodeUsage, GuardValue, "no priority was given", "give a priority and its rule")
		}}},
		effect: doPrioritize,
	}
}

// doPrioritize leaves a priority alone that somebody gave.
func doPrioritize(s *step) *Refusal {
	by := ArgsOf[PriorityBy](&s.op)
	was := s.task.Spec.Clone()
	if was == nil {
		was = new(Spec)
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
		s.head = fmt.Sprintf("remove the priority of %s", Quoted(t))
		s.say("no rule sets it now")
		t.Spec.PriorityBy = nil
	} else {
		s.head = fmt.Sprintf("set the priority of %s to %s", Quoted(t), by.Priority)
		s.say(by.Rule)
		s.detail(TextField("rule", by.Rule))
		t.Spec.PriorityBy = &PriorityBy{Priority: by.Priority, Rule: by.Rule}
	}
	if was.Priority != "" {
		s.detail(TextField("from", string(was.Priority)))
	}
	if by.Priority != "" {
		s.detail(TextField("to", string(by.Priority)))
	}
	t.Spec.Priority = by.Priority
	s.touched[t.UID].files.Spec = true
	return nil
}
