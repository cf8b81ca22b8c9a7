package model

import "slices"

// The states that several rows start from.
var (
	notEnded = []State{Created, ObjectiveDefined, PlanDefined, Working, Errored, Replanned}
	anyOpen  = append(slices.Clone(notEnded), Completed)
)

// lifecycleRow puts the guards that every transition has before its own.
func lifecycleRow(t Transition, own ...check) Transition {
	t.checks = append([]check{needTask, needReadable, needActor, needRevision, needNotFinal, needState}, own...)
	return t
}

// tableRows is the lifecycle; docs/format/lifecycle.md is generated from it.
func tableRows() []Transition {
	return slices.Concat(planRows(), verdictRows(), commentRows(), workRows(), reopenRows(), treeRows(), changeRows())
}

func planRows() []Transition {
	textArg := func(help string) []Arg { return []Arg{{Name: "text", Kind: ArgText, Required: true, Help: help}} }
	return []Transition{
		lifecycleRow(Transition{
			Name: DefineObjective, Title: "Define objective", phrase: "define objective of",
			From: []State{Created, ObjectiveDefined}, FromText: "created, objective_defined",
			To: []State{ObjectiveDefined}, ToText: "objective_defined", Who: WhoAny,
			Args:    textArg("the objective, as Markdown"),
			Effect:  "Writes objective.md and a new revision of it. Accepted dependents that were accepted with another objective become changed.",
			Help:    "Say what is to be achieved",
			Example: `define-objective 3f9a1c "Read the settings from one file"`,
			stateHints: map[State]string{
				PlanDefined: "reject the plan first: it was made for the objective that stands",
				Working:     "replan it, or create a new task for the other objective",
			},
			effect: doDefineObjective,
		}, needText("an objective"), needNewText(Objective), needSeen(Objective)),
		lifecycleRow(Transition{
			Name: DefinePlan, Title: "Define plan", phrase: "define plan of",
			From: []State{ObjectiveDefined, PlanDefined, Replanned}, FromText: "objective_defined, plan_defined, replanned",
			To: []State{PlanDefined}, ToText: "plan_defined", Who: WhoAny,
			Args:    textArg("the plan, as Markdown"),
			Effect:  "Writes plan.md and a new revision of it, which waits for review. An acceptance of the plan before it is void. Comments that are not settled go along to the lines that they are about; an agent answers each open one.",
			Help:    "Say how it is to be done",
			Example: "define-plan 3f9a1c --file plan.md",
			stateHints: map[State]string{
				Working: "replan it first", Errored: "replan it first, or retry it with the plan that it has",
				Completed: "reject the work first",
			},
			effect: doDefinePlan,
		}, needText("a plan"), needNewText(Plan), needSeen(Plan), needAnswerable, needAnswers),
		lifecycleRow(Transition{
			Name: AcceptPlan, Title: "Accept plan", phrase: "accept plan of",
			From: []State{PlanDefined, Working}, FromText: "plan_defined, or working that nobody accepted here",
			To: []State{Working, PlanDefined}, ToText: "working, or plan_defined while dependencies are unmet",
			Who:     WhoHuman,
			Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "a note that goes into the approval"}},
			Effect:  "Binds the acceptance to today's objective and plan, writes an approval and records what the dependencies were. Sections and subtasks that are left out are named in it; such a subtask is paused, with all below it, until a person resumes it or a later acceptance takes it in. Attempts start again from none.",
			Verdict: true,
			Help:    "Let the work begin by this plan", Example: "accept-plan 3f9a1c",
			stateHints: map[State]string{Working: "its plan was accepted already; replan it to change that"},
			effect:     doAcceptPlan,
		}, needUnaccepted, needPlan, needSettled, needSeen(Objective, Plan), needUndecided, needCommentable, needUnblocked, needExcludable),
		lifecycleRow(Transition{
			Name: RejectPlan, Title: "Reject plan", phrase: "reject plan of",
			From: []State{PlanDefined}, FromText: "plan_defined",
			To: []State{ObjectiveDefined}, ToText: "objective_defined", Who: WhoHuman,
			Args:    reasonArg("what has to be better"),
			Effect:  "Keeps the reason with the judged revision; an acceptance is taken back.",
			Verdict: true,
			Help:    "Send the plan back", Example: `reject-plan 3f9a1c -m "no way back if step 3 fails"`,
			stateHints: map[State]string{Working: "replan it: its plan was accepted already", Errored: "replan it"},
			effect:     doRejectPlan,
		}, needSettled, needSeen(Objective, Plan), needCommentable, needReasonOrComment),
	}
}

func reasonArg(help string) []Arg {
	return []Arg{{Name: "reason", Kind: ArgReason, Required: true, Help: help}}
}

func workRows() []Transition {
	return []Transition{
		lifecycleRow(Transition{
			Name: Start, Title: "Start", phrase: "start",
			From: []State{PlanDefined, Working}, FromText: "plan_defined with an accepted plan, working",
			To: []State{Working}, ToText: "working", Who: WhoAny,
			Args:   []Arg{{Name: "worker", Kind: ArgActor, Help: "who works on it, as KIND:NAME; whoever starts it when left out"}},
			Effect: "Opens a run, after comparing objective, plan and dependencies with what was accepted. Where the task's risk asks for a person, an agent's start asks one instead.",
			Help:   "Begin a run", Example: "start 3f9a1c --worker agent:claude",
			effect: doStart,
		}, needAccepted, needConsent, needDeps, needNotPaused, needTakenIn, needSoundAbove, needUnchanged, needNoRun, needApproval, needRunName),
		lifecycleRow(Transition{
			Name: WorkCompleted, Title: "Complete work", phrase: "complete",
			From: []State{Working}, FromText: "working, whether or not it was started",
			To: []State{Completed}, ToText: "completed", Who: WhoAny,
			Args:   []Arg{{Name: "summary", Kind: ArgText, Help: "what was done; it becomes result/summary.md where the result has no other file"}},
			Effect: "Closes the run, if there is one, and records the result. The parent goes on when this was the last open subtask; dependents may become ready. A phase fires the parent's own transition.",
			Help:   "Report the work as done", Example: `work-completed 3f9a1c "Settings are read from one file"`,
			effect: doWorkCompleted,
		}, needNotPaused, needTakenIn, needNoSubtask, needOwnRun, check{
			GuardInfo{GuardPhase, "for a phase: that the parent's own transition is allowed; for create_subtasks: that a subtask was created"}, phaseAllowed,
		}),
		lifecycleRow(Transition{
			Name: ReviewAccepted, Title: "Accept work", phrase: "accept work of",
			From: []State{Completed}, FromText: "completed",
			To: []State{Completed}, ToText: "completed", Who: WhoHuman,
			Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "a note that goes into the approval"}},
			Effect:  "The task is done: nothing leads out of it but taking this back.",
			Verdict: true,
			Help:    "Accept the finished work", Example: "review-accepted 3f9a1c",
			effect: doReviewAccepted,
		}, needSeen(Objective, Plan), needCommentable, needNoDemand),
		lifecycleRow(Transition{
			Name: ReviewRejected, Title: "Reject work", phrase: "reject work of",
			From: []State{Completed}, FromText: "completed",
			To: []State{Replanned}, ToText: "replanned", Who: WhoHuman,
			Args:    reasonArg("what is missing or wrong"),
			Effect:  "The task needs a new plan, which has to answer the comments that are sent along. A parent that is still working waits for it again.",
			Verdict: true,
			Help:    "Send the finished work back", Example: `review-rejected 3f9a1c -m "the old file is still read"`,
			effect: doReviewRejected,
		}, needSeen(Objective, Plan), needReason, needCommentable),
		lifecycleRow(Transition{
			Name: RaiseError, Title: "Report error", phrase: "report error of",
			From: notEnded, FromText: "every state but failed, completed, aborted",
			To: []State{Errored, Failed}, ToText: "error, or failed", Who: WhoAny,
			Args: []Arg{
				{Name: "details", Kind: ArgText, Required: true, Help: "what went wrong"},
				{Name: "failure", Kind: ArgBool, Help: "it cannot be repaired: the task fails for good"},
			},
			Effect: "Closes the run and remembers where the error came from. A failure is final: it reaches a waiting parent, and dependents are blocked by it.",
			Help:   "Report that something went wrong", Example: `error 3f9a1c "the tests do not compile"`,
			stateHints: map[State]string{Completed: "reject the work instead"},
			effect:     doRaiseError,
		}, needText("details")),
		lifecycleRow(Transition{
			Name: Retry, Title: "Retry", phrase: "retry",
			From: []State{Errored}, FromText: "error",
			To:     []State{Working, PlanDefined, ObjectiveDefined, Created, Failed},
			ToText: "working if its accepted plan still holds, else plan_defined, objective_defined or created: the furthest that its files support",
			Who:    WhoAny,
			Effect: "Counts the attempt. At max_attempts the task fails for good and a person is asked.",
			Help:   "Try again after an error", Example: "retry 3f9a1c",
			stateHints: map[State]string{
				Created: "there is no error to recover from", ObjectiveDefined: "there is no error to recover from",
				PlanDefined: "there is no error to recover from", Working: "there is no error to recover from",
				Replanned: "there is no error to recover from", Completed: "there is no error to recover from",
			},
			effect: doRetry,
		}),
	}
}

func treeRows() []Transition {
	return []Transition{
		lifecycleRow(Transition{
			Name: SpawnSubtask, Title: "Spawn subtask", phrase: "spawn a subtask of",
			From: []State{Working}, FromText: "working",
			To: []State{Working}, ToText: "working, paused (subtasks)", Who: WhoAny,
			Args:   []Arg{{Name: "subtask", Kind: ArgUID, Required: true, Help: "a child of this task that it is to wait for"}},
			Effect: "The task waits until its subtasks have ended.",
			Help:   "Wait for a subtask", Example: "spawn-subtask 3f9a1c 77c0de",
			effect: doSpawnSubtask,
		}, needChild),
		lifecycleRow(Transition{
			Name: HandleSubtaskCompletion, Title: "Handle subtask completion", phrase: "handle the end of a subtask of",
			From: notEnded, FromText: "working, paused",
			ToText: "as before the pause when the last subtask ended well; failed (or held, by policy) when one failed",
			To:     nil, Who: WhoSystem,
			Args: []Arg{
				{Name: "subtask", Kind: ArgUID, Required: true, Help: "the subtask that ended"},
				{Name: "success", Kind: ArgBool, Help: "it was completed"},
			},
			Effect: "Fired in the transaction that ends the child. When no subtask is left the task goes on; when one failed it fails too, or with the policy `hold` it waits for a person.",
			Help:   "Go on, or fail, after a subtask", Example: "handle-subtask-completion 3f9a1c 77c0de --success",
			effect: doHandleSubtask,
		}, needAwaited),
		lifecycleRow(Transition{
			Name: Pause, Title: "Pause", phrase: "pause",
			From: anyOpen, FromText: "any not final", ToText: "same", Who: WhoAny,
			Args:   []Arg{{Name: "reason", Kind: ArgReason, Help: "why; `hitl: …` when a person has to answer"}},
			Effect: "The state stays; nothing is started until it is resumed.",
			Help:   "Hold the task", Example: `pause 3f9a1c -m "until the release is out"`,
			effect: doPause,
		}, needNotPaused),
		lifecycleRow(Transition{
			Name: Resume, Title: "Resume", phrase: "resume",
			From: anyOpen, FromText: "any not final", ToText: "same", Who: WhoHumanForHITL,
			Args:   []Arg{{Name: "reason", Kind: ArgReason, Help: "the answer, where a question was asked; it stands in the history"}},
			Effect: "Takes the pause back; the reason is the answer to a question, also to the only request that the task waits for. With subtasks still open it goes on waiting for them.",
			Help:   "Let the task go on, with an answer", Example: `resume 3f9a1c -m "round half to even"`,
			effect: doResume,
		}, needPaused, needTakenIn, needNoWait, needOwnPause, needResumeAnswer),
		askRow(), answerRow(), escalateRows()[0], escalateRows()[1],
		endedRow(Transition{
			Name: Abort, Title: "Abort", phrase: "abort",
			From: append(slices.Clone(anyOpen), Failed), FromText: "any not final, and by a person failed",
			To: []State{Aborted}, ToText: "aborted", Who: WhoHumanOrSystem,
			Args:      reasonArg("why it is not to be done"),
			Effect:    "Ends the task and every open task below it. A parent no longer waits for it; dependents are blocked by it, unless the policy lets aborted dependencies pass.",
			Dangerous: true,
			Help:      "End the task by decision", Example: `abort 3f9a1c -m "no longer wanted"`,
			effect: doAbort,
		}, needNotOver, needState, needReason),
	}
}

func changeRows() []Transition {
	undoRow := Transition{
		Name: UndoVerdict, Title: "Undo verdict", phrase: "take back the verdict on",
		From:     append(slices.Clone(anyOpen), Failed, Aborted),
		FromText: "after any human verdict, answer or decomposition that nothing has consumed", ToText: "as before", Who: WhoHuman,
		Args:   []Arg{{Name: "reason", Kind: ArgReason, Help: "why"}},
		Effect: "Puts every task that the verdict changed back as it was, or makes the answered request wait again. Subtasks of a decomposition on which no work has begun are aborted, and who waited for one waits for the task again. An event says so, and nothing is erased.",
		Help:   "Take back the last verdict, answer or decomposition", Example: "undo 3f9a1c",
		effect: doUndo,
	}
	undoRow.checks = []check{unlessRequest(needTask), unlessRequest(needReadable), needActor, ifThere(needRevision), {
		GuardInfo{GuardUndo, "a person's verdict or answer, or a decomposition, that nothing has consumed"}, undoable,
	}}
	return []Transition{
		lifecycleRow(Transition{
			Name: Check, Title: "Check", phrase: "check",
			From: anyOpen, FromText: "any not final", ToText: "same", Who: WhoAny,
			Effect: "Compares what the task was accepted with to what is there, and marks it changed where they differ.",
			Help:   "Look for changes since it was accepted", Example: "check 3f9a1c",
			effect: doCheck,
		}),
		{
			Name: ExternalEdit, Title: "External edit", phrase: "take over an edit of",
			From: append(slices.Clone(anyOpen), Failed, Aborted), FromText: "any", ToText: "what the file says", Who: WhoSystem,
			Effect: "Records files that were written past vespe. A document becomes a revision; a state is believed; an acceptance or an accepted review is not. An accepted task whose own texts were edited becomes changed.",
			Help:   "Take over what was edited outside", Example: "external-edit 3f9a1c",
			checks: []check{needTask, needReadable, needActor, needRevision, needState, needEdit},
			effect: doExternalEdit,
		},
		lifecycleRow(Transition{
			Name: Revalidate, Title: "Revalidate", phrase: "revalidate",
			From: anyOpen, FromText: "changed", ToText: "same, no longer changed", Who: WhoHuman,
			Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "a note that goes into the approval"}},
			Effect:  "Records today's hashes: the accepted plan holds with what changed.",
			Verdict: true,
			Help:    "Let the plan stand in spite of a change", Example: "revalidate 3f9a1c",
			effect: doRevalidate,
		}, needChanged, needStandingPlan, needSeen(Objective, Plan)),
		lifecycleRow(Transition{
			Name: Replan, Title: "Replan", phrase: "replan",
			From: []State{PlanDefined, Working, Errored, Completed}, FromText: "working, plan_defined, error, changed",
			To: []State{Replanned}, ToText: "replanned", Who: WhoAny,
			Args:    reasonArg("why the plan does not do"),
			Effect:  "Voids the acceptance and closes the run; a new plan is needed.",
			Verdict: true,
			Help:    "Ask for a new plan", Example: `replan 3f9a1c -m "the library is gone"`,
			stateHints: map[State]string{
				Replanned:        "define a new plan; it waits for one already",
				ObjectiveDefined: "define its plan; it has none that counts",
			},
			effect: doReplan,
		}, needChangedWork, needReason),
		undoRow,
	}
}
