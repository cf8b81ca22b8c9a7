package model

// unlessRequest runs a check unless the operation names a request, the task of which may be gone.
func unlessRequest(c check) check {
	return check{c.GuardInfo, func(s *step) *Refusal {
		if s.op.Request == "" {
			return c.run(s)
		}
		if _, ok := s.requestOf(s.op.Request); !ok {
			return s.noRequest()
		}
		return nil
	}}
}

// askRow and answerRow are about requests; their arguments are Op.Ask, Op.Request and Op.Answer,
// the text of which may be the operation's reason.
func askRow() Transition {
	t := Transition{
		Name: Ask, Title: "Ask", phrase: "ask about",
		From: anyOpen, FromText: "any not final", ToText: "same, paused (hitl)", Who: WhoAny,
		Effect: "Files a request that a person answers, and pauses the task until nothing that was asked is open. The same key on the same task is the same request.",
		Help:   "Ask a person, and wait", Example: `ask 3f9a1c --title "Which port?" --options 80,8080 --wait`,
		effect: doAsk,
	}
	t.checks = []check{
		ifTask(needTask), ifTask(needReadable), needActor, ifTask(needRevision), ifTask(needNotFinal), ifTask(needState), needAskable, needNewAsk,
	}
	return t
}

func answerRow() Transition {
	t := Transition{
		Name: AnswerRequest, Title: "Answer", phrase: "answer what was asked about",
		From: append(append([]State{}, anyOpen...), Failed, Aborted), FromText: "a request that waits", ToText: "same, resumed by the last answer", Who: WhoHuman,
		Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "what to say; words are needed to deny and to respond"}},
		Effect:  "Writes the decision into the request: accept, edit, respond, deny or choose, as it allows. To defer leaves it waiting. An option of what vespe itself escalated does what it says. The task goes on when nothing that holds it is left.",
		Verdict: true,
		Help:    "Decide on what was asked", Example: `answer req-7c1d deny -m "not on a Friday"`,
		effect: doAnswer,
	}
	t.checks = []check{needActor, needRequest, ifThere(needRevision), needUnanswered, needSeenRequest, needDecision}
	return t
}
