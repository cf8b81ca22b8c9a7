package lifecycle

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// endedRow is lifecycleRow for a row that starts from a task which has failed: only people go on from
// there.
func endedRow(t machine.Row, own ...machine.Guard) machine.Row {
	t.Checks = machine.OnTask(own...)
	return t
}

// reopenRows lead out of failed (what a person decides when the attempts are over), and out
// of a run that somebody stops.
func reopenRows() []machine.Row {
	return []machine.Row{
		endedRow(machine.Row{
			Transition: model.Transition{
				Name: model.Reopen, Takes: model.Reopening{},
				From: []model.State{model.Failed}, FromText: "Failed",
				To:     []model.State{model.Working, model.PlanDefined, model.ObjectiveDefined, model.Created},
				ToText: "Ready if its accepted plan is still valid, else the furthest status that its files support", Who: model.WhoHuman,
				Args: []model.Arg{
					{Name: "reason", Kind: model.ArgReason, Help: "why to try again"},
					{Name: "by-hand", Kind: model.ArgBool, Help: "a person does the work in the files of the last run; the only run left verifies it"},
				},
				Effect:  "Undoes the failure and resets the attempt count. A parent that failed because of it is also reopened, and waits for it. Dependents wait for it again.",
				Verdict: true,
				Help:    "Try a failed task again", Example: "3f9a1c",
			}, StateHints: map[model.State]string{model.Errored: "retry it", model.Aborted: "create a new task for the rest of the work"}, Do: doReopen,
		}, machine.NeedState, needOpenParent),
		endedRow(machine.Row{
			Transition: model.Transition{
				Name: model.Skip,
				From: []model.State{model.Failed, model.Errored}, FromText: "Failed, Error",
				To: []model.State{model.Completed}, ToText: "Done", Who: model.WhoHuman,
				Args:    reasonArg("where the work was done, or why it isn't needed; dependents see this"),
				Effect:  "The person takes responsibility for the work: it counts as completed and accepted without a run. The reason is saved as result/summary.md if the result has no other file. Dependents may become ready. A parent that failed because of it resumes.",
				Verdict: true,
				Help:    "Mark a failed task as done elsewhere", Example: `3f9a1c -m "done by hand in 4f2c1d"`,
			}, StateHints: map[model.State]string{model.Working: "complete the work", model.Completed: "accept the work"}, Do: doSkip,
		}, machine.NeedState, machine.NeedReason, needNoSubtask, needOpenParent, needNoPhase),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.StopRun, Takes: model.RunEnd{},
				From: []model.State{model.Working}, FromText: "Running", ToText: "Ready", Who: model.WhoHumanOrSystem,
				Args:   []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "why"}},
				Effect: "Closes the run as canceled without counting an attempt. The task can be started again. The loop that runs the worker ends it.",
				Help:   "End the run, but not the task", Example: "3f9a1c",
			}, Do: doStopRun,
		}, needRun),
	}
}

var (
	needRun = machine.Need(model.GuardRun, "a live run", func(s *machine.Step) *model.Refusal {
		if s.Task.Status.CurrentRun != "" {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardRun, "it has no live run", "there is nothing to do")
	})
	needNoPhase = machine.Need(model.GuardPhase, "a task that isn't a phase of its parent", func(s *machine.Step) *model.Refusal {
		if up, r := phaseStep(s); up == nil || r != nil {
			return r
		}
		return s.Refuse(model.CodeRefused, model.GuardPhase, "it is a phase, and its parent still lacks what the phase defines",
			"reopen it, or define that in the parent and abort the phase")
	})
	// A task is not open again below one that has ended for good.
	needOpenParent = machine.Need(model.GuardParent, "a parent that is open or failed", func(s *machine.Step) *model.Refusal {
		p, ok := s.World.Task(s.Task.Config.ParentUID)
		if s.Task.Config.ParentUID == "" || !ok || p.Status.CurrentState == model.Failed || !p.IsFinal() {
			return nil
		}
		return s.Refuse(model.CodeRefused, model.GuardParent, fmt.Sprintf("its ancestor %s %s", model.Quoted(p), machine.EndedHow(p)),
			"create a new task for the rest of the work")
	})
)

// escalateRows are what the loop asks a person by, and takes back.
func escalateRows() []machine.Row {
	escalate := machine.Row{
		Transition: model.Transition{
			Name: model.Escalate, Takes: model.NewRequest{},
			From: append(append([]model.State{}, anyOpen...), model.Failed, model.Aborted), FromText: "any", ToText: "same; Waiting for you if the task has to wait", Who: model.WhoSystem,
			Effect: "Files an escalation for a person, once per key. The task waits for the answer only if the escalation says so.",
			Help:   "Ask a person to decide what the loop can't",
		}, Do: doEscalate,
	}
	escalate.Checks = []machine.Guard{ifTask(machine.NeedTask), ifTask(machine.NeedReadable), machine.NeedActor, ifTask(machine.NeedRevision), ifTask(machine.NeedState), needEscalation, needAskable}
	settle := machine.Row{
		Transition: model.Transition{
			Name: model.Settle, Takes: model.Settlement{},
			From: append(append([]model.State{}, anyOpen...), model.Failed, model.Aborted), FromText: "any", ToText: "same", Who: model.WhoSystem,
			Effect: "Closes an escalation whose cause is gone, or an agent's call that its client no longer waits for. No " +
				"one has to decide on it.",
			Help: "Withdraw an escalation",
		}, Do: doSettle,
	}
	settle.Checks = []machine.Guard{ifTask(machine.NeedTask), ifTask(machine.NeedReadable), machine.NeedActor, needSettleable}
	return []machine.Row{escalate, settle}
}
