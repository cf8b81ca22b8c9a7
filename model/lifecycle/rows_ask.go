package lifecycle

import "vespe/model"

// unlessRequest runs a check unless the operation names a request, the task of which may be gone.
func unlessRequest(c check) check {
	return check{c.GuardInfo, func(s *step) *model.Refusal {
		if s.op.Request() == "" {
			return c.run(s)
		}
		if _, ok := s.requestOf(s.op.Request()); !ok {
			return s.noRequest()
		}
		return nil
	}}
}

// askRow and answerRow are about requests. The text of an answer may be the operation's reason.
func askRow() Transition {
	t := Transition{
		Name: model.Ask, Takes: model.NewRequest{},
		From: anyOpen, FromText: "any not final", ToText: "same, paused (hitl)", Who: WhoAny,
		Effect: "Files a request for a person, and pauses the task until all of its requests are answered. The same key on the same task means the same request.",
		Help:   "Ask a person, and wait", Example: `3f9a1c --title "Which port?" --options 80,8080 --wait`,
		effect: doAsk,
	}
	t.checks = []check{
		ifTask(needTask), ifTask(needReadable), needActor, ifTask(needRevision), ifTask(needNotFinal), ifTask(needState), needAskable, needNewAsk,
	}
	return t
}

func answerRow() Transition {
	t := Transition{
		Name: model.AnswerRequest, Takes: model.Answering{},
		From: append(append([]model.State{}, anyOpen...), model.Failed, model.Aborted), FromText: "an open request", ToText: "same, resumed by the last answer", Who: WhoHuman,
		Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "the text; required to deny and to respond"}},
		Effect:  "Writes the decision into the request: accept, edit, respond, deny or choose, as it allows. A deferred request stays open. Choosing an option of an escalation by vespe carries it out. The task resumes when no open request holds it.",
		Verdict: true,
		Help:    "Answer a request", Example: `req-7c1d deny -m "not on a Friday"`,
		effect: doAnswer,
	}
	t.checks = []check{needActor, needRequest, ifThere(needRevision), needUnanswered, needSeenRequest, needDecision}
	return t
}
