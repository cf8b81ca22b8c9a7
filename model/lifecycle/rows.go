package lifecycle

import (
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// The states that several rows start from.
var (
	notEnded = []model.State{model.Created, model.ObjectiveDefined, model.PlanDefined, model.Working, model.Errored, model.Replanned}
	anyOpen  = append(slices.Clone(notEnded), model.Completed)
)

// lifecycleRow puts the guards that every transition has before its own.
func lifecycleRow(t machine.Row, own ...machine.Guard) machine.Row {
	t.Checks = machine.OnTask(append([]machine.Guard{machine.NeedNotFinal, machine.NeedState}, own...)...)
	return t
}

func planRows() []machine.Row {
	textArg := func(help string) []model.Arg {
		return []model.Arg{{Name: "text", Kind: model.ArgText, Required: true, Help: help}}
	}
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.DefineObjective, Takes: model.NewObjective{},
				From: []model.State{model.Created, model.ObjectiveDefined}, FromText: "New, To plan",
				To: []model.State{model.ObjectiveDefined}, ToText: "To plan", Who: model.WhoAny,
				Args:   textArg("the objective, as Markdown"),
				Effect: "Writes a new revision of objective.md. Dependents that were accepted with the old objective become changed.",
				Help:   "State what to achieve", Example: `3f9a1c "Read the settings from one file"`,
			}, StateHints: map[model.State]string{
				model.PlanDefined: "reject the plan first: it was written for the current objective",
				model.Working:     "replan it, or create a new task for the new objective",
			}, Do: doDefineObjective,
		}, machine.NeedText("an objective"), machine.NeedNewText(model.Objective), binding.NeedSeen(model.Objective)),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.DefinePlan, Takes: model.NewPlan{},
				From: []model.State{model.ObjectiveDefined, model.PlanDefined, model.Replanned}, FromText: "To plan, Plan review, Replan",
				To: []model.State{model.PlanDefined}, ToText: "Plan review", Who: model.WhoAny,
				Args:   textArg("the plan, as Markdown"),
				Effect: "Writes a new revision of plan.md, which needs a review. It voids the acceptance of an earlier plan. Unresolved comments move along with their lines. An agent must answer each open comment.",
				Help:   "Describe how to do it", Example: "3f9a1c --file plan.md",
			}, StateHints: map[model.State]string{
				model.Working: "replan it first", model.Errored: "replan it first, or retry it with its current plan",
				model.Completed: "reject the work first",
			}, Do: doDefinePlan,
		}, machine.NeedText("a plan"), machine.NeedNewText(model.Plan), binding.NeedSeen(model.Plan), needAnswerable, needAnswers),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.AcceptPlan, Takes: model.Acceptance{},
				From: []model.State{model.PlanDefined, model.Working}, FromText: "Plan review; Ready or Running if it was accepted in another clone only",
				To: []model.State{model.Working, model.PlanDefined}, ToText: "Ready, or Blocked while it waits for dependencies",
				Who:     model.WhoHuman,
				Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "a note for the approval"}},
				Effect:  "Binds the acceptance to the current objective and plan, writes an approval and records the state of the dependencies. The approval names excluded sections. The attempt count is reset.",
				Verdict: true,
				Help:    "Accept the plan, so that work can start", Example: "3f9a1c",
			}, StateHints: map[model.State]string{model.Working: "its plan is already accepted; replan it to change that"}, Do: doAcceptPlan,
		}, needUnaccepted, needPlan, needSettled, binding.NeedSeen(model.Objective, model.Plan), needUndecided, needCommentable, needUnblocked, needExcludable),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.RejectPlan, Takes: model.Feedback{},
				From: []model.State{model.PlanDefined}, FromText: "Plan review",
				To: []model.State{model.ObjectiveDefined}, ToText: "To plan", Who: model.WhoHuman,
				Args:    reasonArg("what to improve"),
				Effect:  "Stores the reason with the rejected revision, and voids an acceptance.",
				Verdict: true,
				Help:    "Send the plan back", Example: `3f9a1c -m "no way back if step 3 fails"`,
			}, StateHints: map[model.State]string{model.Working: "replan it: its plan is already accepted", model.Errored: "replan it"}, Do: doRejectPlan,
		}, needSettled, binding.NeedSeen(model.Objective, model.Plan), needCommentable, machine.NeedReasonOrComment),
	}
}

func reasonArg(help string) []model.Arg {
	return []model.Arg{{Name: "reason", Kind: model.ArgReason, Required: true, Help: help}}
}

func workRows() []machine.Row {
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Start, Takes: model.NewRun{},
				From: []model.State{model.PlanDefined, model.Working}, FromText: "Ready",
				To: []model.State{model.Working}, ToText: "Running", Who: model.WhoAny,
				Args:   []model.Arg{{Name: "worker", Kind: model.ArgActor, Help: "who does the work, as KIND:NAME (default: who starts it)"}},
				Effect: "Checks that objective, plan and dependencies are as accepted, then opens a run. If the task's risk requires a person, an agent's start files a request instead.",
				Help:   "Start a run", Example: "3f9a1c --worker agent:claude",
			}, Do: doStart,
		}, binding.NeedAccepted, needConsent, needDeps, needNotPaused, needSoundAbove, needUnchanged, needNoRun, needApproval, needRunName),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.WorkCompleted, Takes: model.Completion{},
				From: []model.State{model.Working}, FromText: "Ready, Running",
				To: []model.State{model.Completed}, ToText: "Work review", Who: model.WhoAny,
				Args:   []model.Arg{{Name: "summary", Kind: model.ArgText, Help: "what was done; saved as result/summary.md if the result has no other file"}},
				Effect: "Closes a live run and records the result. The parent resumes after its last open subtask. Dependents may become ready. A phase triggers the parent's own transition.",
				Help:   "Report the work as done", Example: `3f9a1c "Settings are read from one file"`,
			}, Do: doWorkCompleted,
		}, needNotPaused, needNoSubtask, needOwnRun, machine.Need(model.GuardPhase, "for a phase: the parent's own transition is allowed; for create_subtasks: a subtask was created", phaseAllowed)),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.ReviewAccepted, Takes: model.Feedback{},
				From: []model.State{model.Completed}, FromText: "Work review",
				To: []model.State{model.Completed}, ToText: "Done", Who: model.WhoHuman,
				Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "a note for the approval"}},
				Effect:  "The task is done. Only undoing this verdict reopens it.",
				Verdict: true,
				Help:    "Accept the finished work", Example: "3f9a1c",
			}, Do: doReviewAccepted,
		}, binding.NeedSeen(model.Objective, model.Plan), needCommentable, needNoDemand),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.ReviewRejected, Takes: model.Rejection{},
				From: []model.State{model.Completed}, FromText: "Work review",
				To: []model.State{model.Replanned, model.Working, model.PlanDefined, model.ObjectiveDefined}, ToText: "Replan; with again, as for retry", Who: model.WhoHuman,
				Args: append(reasonArg("what is missing or wrong"),
					model.Arg{Name: "again", Kind: model.ArgBool, Help: "keep the accepted plan: the next attempt does the work with these comments"}),
				Effect:  "The task needs a new plan that answers the comments sent with the verdict. With again, its accepted plan stays, and it is ready for another attempt. A parent that is still working waits for it again.",
				Verdict: true,
				Help:    "Send the finished work back", Example: `3f9a1c -m "the old file is still read"`,
			}, Do: doReviewRejected,
		}, binding.NeedSeen(model.Objective, model.Plan), machine.NeedReason, needCommentable),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.RaiseError, Takes: model.ErrorReport{},
				From: notEnded, FromText: "any but Work review, Done, Failed, Aborted",
				To: []model.State{model.Errored, model.Failed}, ToText: "Error, or Failed", Who: model.WhoAny,
				Args: []model.Arg{
					{Name: "details", Kind: model.ArgText, Required: true, Help: "what went wrong"},
					{Name: "failure", Kind: model.ArgBool, Help: "it can't be fixed: the task fails for good"},
				},
				Effect: "Closes the run and records where the error came from. A failure is final: it reaches a waiting parent and blocks dependents.",
				Help:   "Report that something went wrong", Example: `3f9a1c "the tests do not compile"`,
			}, StateHints: map[model.State]string{model.Completed: "reject the work instead"}, Do: doRaiseError,
		}, machine.NeedText("details")),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Retry,
				From: []model.State{model.Errored}, FromText: "Error",
				To:     []model.State{model.Working, model.PlanDefined, model.ObjectiveDefined, model.Created, model.Failed},
				ToText: "Ready if its accepted plan is still valid, else the furthest of Plan review, To plan and New that its files support",
				Who:    model.WhoAny,
				Effect: "Counts the attempt. At max_attempts the task fails for good, and vespe asks a person.",
				Help:   "Try again after an error", Example: "3f9a1c",
			}, StateHints: map[model.State]string{
				model.Created: "it has no error", model.ObjectiveDefined: "it has no error",
				model.PlanDefined: "it has no error", model.Working: "it has no error",
				model.Replanned: "it has no error", model.Completed: "it has no error",
			}, Do: doRetry,
		}),
	}
}

func treeRows() []machine.Row {
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.SpawnSubtask, Takes: model.SubtaskRef{},
				From: []model.State{model.Working}, FromText: "Ready, Running",
				To: []model.State{model.Working}, ToText: "Subtasks", Who: model.WhoAny,
				Args:   []model.Arg{{Name: "subtask", Kind: model.ArgUID, Required: true, Help: "the child of this task to wait for"}},
				Effect: "The task waits until its subtasks end.",
				Help:   "Wait for a subtask", Example: "3f9a1c 77c0de",
			}, Do: doSpawnSubtask,
		}, needChild),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.HandleSubtaskCompletion, Takes: model.SubtaskEnd{},
				From: notEnded, FromText: "Subtasks",
				ToText: "the status before when the last subtask is done; Failed (or Paused, by policy) when one failed",
				To:     nil, Who: model.WhoSystem,
				Args: []model.Arg{
					{Name: "subtask", Kind: model.ArgUID, Required: true, Help: "the subtask that ended"},
					{Name: "success", Kind: model.ArgBool, Help: "it was completed"},
				},
				Effect: "Runs in the transaction that ends the child. The task resumes when no subtask is left. If one failed, the task fails too, or with the policy `hold` waits for a person.",
				Help:   "Resume or fail after a subtask ends",
			}, Do: doHandleSubtask,
		}, needAwaited),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Pause,
				From: anyOpen, FromText: "any not final", ToText: "same", Who: model.WhoAny,
				Args:   []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "why; `hitl: …` if a person must answer"}},
				Effect: "Keeps the state. Nothing starts until the task is resumed.",
				Help:   "Pause the task", Example: `3f9a1c -m "until the release is out"`,
			}, Do: doPause,
		}, needNotPaused),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Resume,
				From: anyOpen, FromText: "any not final", ToText: "same", Who: model.WhoHumanForHITL,
				Args:   []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "your answer, if a question was asked"}},
				Effect: "Ends the pause. The reason answers a question, or the only request that the task waits for. If subtasks are open, the task keeps waiting for them.",
				Help:   "Resume the task, with an answer", Example: `3f9a1c -m "round half to even"`,
			}, Do: doResume,
		}, needPaused, needNoWait, needOwnPause, needResumeAnswer),
		askRow(), answerRow(), escalateRows()[0], escalateRows()[1],
		endedRow(machine.Row{
			Transition: model.Transition{
				Name: model.Abort, Takes: model.RunEnd{},
				From: append(slices.Clone(anyOpen), model.Failed), FromText: "any not final; for a person also Failed",
				To: []model.State{model.Aborted}, ToText: "Aborted", Who: model.WhoHumanOrSystem,
				Args:      reasonArg("why it should not be done"),
				Effect:    "Ends the task and every open task below it. A parent no longer waits for it. Dependents are blocked, unless the policy allows aborted dependencies.",
				Dangerous: true,
				Help:      "End the task without finishing it", Example: `3f9a1c -m "no longer wanted"`,
			}, Do: doAbort,
		}, machine.NeedNotOver, machine.NeedState, machine.NeedReason),
	}
}

func changeRows() []machine.Row {
	undoRow := machine.Row{
		Transition: model.Transition{
			Name: model.UndoVerdict, Takes: model.RequestRef{},
			From:     append(slices.Clone(anyOpen), model.Failed, model.Aborted),
			FromText: "after a person's verdict or answer, or a decomposition, if nothing builds on it yet", ToText: "as before", Who: model.WhoHuman,
			Args:   []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "why"}},
			Effect: "Restores every task that the verdict changed, or reopens the answered request. Undoing a decomposition aborts its subtasks if no work has begun on them; tasks that waited for one wait for the task again. The undo is an event of its own: nothing is erased.",
			Help:   "Undo the last verdict, answer or decomposition", Example: "3f9a1c",
		}, Do: doUndo,
	}
	undoRow.Checks = []machine.Guard{unlessRequest(machine.NeedTask), unlessRequest(machine.NeedReadable), machine.NeedActor, ifThere(machine.NeedRevision), machine.Need(model.GuardUndo, "a person's verdict or answer, or a decomposition, that nothing builds on yet", undoable)}
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Check,
				From: anyOpen, FromText: "any not final", ToText: "same", Who: model.WhoAny,
				Effect: "Compares the task's files and dependencies with those that were accepted, and marks the task changed if they differ.",
				Help:   "Check for changes since it was accepted", Example: "3f9a1c",
			}, Do: doCheck,
		}),
		{
			Transition: model.Transition{
				Name: model.ExternalEdit, Takes: model.External{},
				From: append(slices.Clone(anyOpen), model.Failed, model.Aborted), FromText: "any", ToText: "what the file says", Who: model.WhoSystem,
				Effect: "Records files that were edited outside vespe. A document becomes a revision. An edited state counts; an acceptance or an accepted review does not. An accepted task whose own documents were edited becomes changed.",
				Help:   "Record edits made outside vespe",
			}, Do: doExternalEdit, Checks: machine.OnTask(machine.NeedState, needEdit),
		},
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Revalidate, Takes: model.Revalidation{},
				From: anyOpen, FromText: "Changed", ToText: "as before the change", Who: model.WhoHuman,
				Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "a note for the approval"}},
				Effect:  "Records the current hashes: the accepted plan is still valid after the change.",
				Verdict: true,
				Help:    "Confirm that the plan is still valid after a change", Example: "3f9a1c",
			}, Do: doRevalidate,
		}, needChanged, needStandingPlan, binding.NeedSeen(model.Objective, model.Plan)),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.Replan, Takes: model.RunEnd{},
				From: []model.State{model.PlanDefined, model.Working, model.Errored, model.Completed}, FromText: "Plan review, Ready, Running, Error, Changed",
				To: []model.State{model.Replanned}, ToText: "Replan", Who: model.WhoAny,
				Args:    reasonArg("why it needs a new plan"),
				Effect:  "Voids the acceptance and closes the run. The task needs a new plan.",
				Verdict: true,
				Help:    "Ask for a new plan", Example: `3f9a1c -m "the library is gone"`,
			}, StateHints: map[model.State]string{
				model.Replanned:        "define a new plan; it already needs one",
				model.ObjectiveDefined: "define its plan; it has no valid one",
			}, Do: doReplan,
		}, needChangedWork, machine.NeedReason),
		undoRow,
	}
}
