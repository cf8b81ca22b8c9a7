package lifecycle

import (
	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// unlessRequest runs a check unless the operation names a request, the task of which may be gone.
func unlessRequest(c machine.Guard) machine.Guard {
	return machine.Guard{GuardInfo: c.GuardInfo, Run: func(s *machine.Step) *model.Refusal {
		if s.Op.Request() == "" {
			return c.Run(s)
		}
		if _, ok := s.RequestOf(s.Op.Request()); !ok {
			return noRequest(s)
		}
		return nil
	}}
}

// askRow and answerRow are about requests. The text of an answer may be the operation's reason.
func askRow() machine.Row {
	t := machine.Row{
		Transition: model.Transition{
			Name: model.Ask, Takes: model.NewRequest{},
			From: anyOpen, FromText: "any not final", ToText: "Waiting for you", Who: model.WhoAny,
			Effect: "Files a request for a person, and pauses the task until all of its requests are answered. The same key on the same task means the same request.",
			Help:   "Ask a person, and wait", Example: `3f9a1c --title "Which port?" --options 80,8080 --wait`,
		}, Do: doAsk,
	}
	t.Checks = []machine.Guard{
		ifTask(machine.NeedTask), ifTask(machine.NeedReadable), machine.NeedActor, ifTask(machine.NeedRevision), ifTask(machine.NeedNotFinal), ifTask(machine.NeedState), needAskable, needNewAsk,
	}
	return t
}

func answerRow() machine.Row {
	t := machine.Row{
		Transition: model.Transition{
			Name: model.AnswerRequest, Takes: model.Answering{},
			From: append(append([]model.State{}, anyOpen...), model.Failed, model.Aborted), FromText: "an open request", ToText: "same, resumed by the last answer", Who: model.WhoHuman,
			Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "the text; required to deny and to respond"}},
			Effect:  "Writes the decision into the request: accept, edit, respond, deny or choose, as it allows. A deferred request stays open. Choosing an option of an escalation by vespe carries it out. The task resumes when no open request holds it.",
			Verdict: true,
			Help:    "Answer a request", Example: `req-7c1d deny -m "not on a Friday"`,
		}, Do: doAnswer,
	}
	t.Checks = []machine.Guard{machine.NeedActor, needRequest, ifThere(machine.NeedRevision), needUnanswered, needSeenRequest, needDecision}
	return t
}
