package model

import "fmt"

// endedRow is lifecycleRow for a row that starts from a task which has failed: only people go on from
// there.
func endedRow(t Transition, own ...check) Transition {
	t.checks = append([]check{needTask, needReadable, needActor, needRevision}, own...)
	return t
}

// reopenRows lead out of failed (what a person decides when the attempts are over), and out
// of a run that somebody stops.
func reopenRows() []Transition {
	return []Transition{
		endedRow(Transition{
			Name: Reopen, Title: "Re-open", phrase: "re-open",
			From: []State{Failed}, FromText: "failed",
			To:     []State{Working, PlanDefined, ObjectiveDefined, Created},
			ToText: "working if its accepted plan still holds, else the furthest that its files support", Who: WhoHuman,
			Args: []Arg{
				{Name: "reason", Kind: ArgReason, Help: "why it is worth another try"},
				{Name: "by-hand", Kind: ArgBool, Help: "a person does the work, in the files of the last run: the next run only verifies it, and is the only one"},
			},
			Effect:  "Takes the failure back: attempts start again from none. A parent that failed because of it is re-opened, too, and waits for it; dependents wait for it again.",
			Verdict: true,
			Help:    "Try a failed task again", Example: "reopen 3f9a1c",
			stateHints: map[State]string{Errored: "retry it", Aborted: "create a new task for what is still to be done"},
			effect:     doReopen,
		}, needState, needOpenParent),
		endedRow(Transition{
			Name: Skip, Title: "Skip", phrase: "skip",
			From: []State{Failed, Errored}, FromText: "failed, error",
			To: []State{Completed}, ToText: "completed, and reviewed", Who: WhoHuman,
			Args:    reasonArg("where the work was done, or why it is not needed; whoever relies on it reads it"),
			Effect:  "The person answers for the work: it counts as completed and accepted, without any run. The reason becomes result/summary.md where the result has no other file. Dependents may become ready; a parent that failed because of it goes on.",
			Verdict: true,
			Help:    "Count a failed task as done elsewhere", Example: `skip 3f9a1c -m "done by hand in 4f2c1d"`,
			stateHints: map[State]string{Working: "complete the work", Completed: "accept the work"},
			effect:     doSkip,
		}, needState, needReason, needNoSubtask, needOpenParent, needNoPhase),
		lifecycleRow(Transition{
			Name: StopRun, Title: "Stop run", phrase: "stop the run of",
			From: []State{Working}, FromText: "working, with a live run", ToText: "same, without a run", Who: WhoHumanOrSystem,
			Args:   []Arg{{Name: "reason", Kind: ArgReason, Help: "why"}},
			Effect: "Closes the run as cancelled. No attempt is counted, and the task can be started again. Who runs the worker ends it.",
			Help:   "End the run, and keep the task", Example: "stop 3f9a1c",
			effect: doStopRun,
		}, needRun),
	}
}

var (
	needRun = check{GuardInfo{GuardRun, "a live run"}, func(s *step) *Refusal {
		if s.task.Status.CurrentRun != "" {
			return nil
		}
		return s.refuse(CodeRefused, GuardRun, "nobody works on it", "nothing needs to be done")
	}}
	needNoPhase = check{GuardInfo{GuardPhase, "no phase, which is to define something of its parent"}, func(s *step) *Refusal {
		if up, r := s.phaseStep(); up == nil || r != nil {
			return r
		}
		return s.refuse(CodeRefused, GuardPhase, "it is a phase, and what it was to define is not defined",
			"re-open it, or define it in the parent and abort the phase")
	}}
	// A task is not open again below one that has ended for good.
	needOpenParent = check{GuardInfo{GuardParent, "a parent that is not over, or that failed"}, func(s *step) *Refusal {
		p, ok := s.w.Task(s.task.Config.ParentUID)
		if s.task.Config.ParentUID == "" || !ok || p.Status.CurrentState == Failed || !p.final() {
			return nil
		}
		return s.refuse(CodeRefused, GuardParent, fmt.Sprintf("%s, above it, %s", quoted(p), endedHow(p)),
			"create a new task for what is still to be done")
	}}
)

// escalateRows are what the loop asks a person by, and takes back.
func escalateRows() []Transition {
	escalate := Transition{
		Name: Escalate, Title: "Escalate", phrase: "escalate about",
		From: append(append([]State{}, anyOpen...), Failed, Aborted), FromText: "any", ToText: "same; paused (hitl) where it is to wait", Who: WhoSystem,
		Effect: "Files an escalation that a person answers, once for its key. The task waits for the answer only where that is said.",
		Help:   "Ask a person what nobody else can decide", Example: "escalate 3f9a1c",
		effect: doEscalate,
	}
	escalate.checks = []check{ifTask(needTask), ifTask(needReadable), needActor, ifTask(needRevision), ifTask(needState), needEscalation, needAskable}
	settle := Transition{
		Name: Settle, Title: "Settle", phrase: "settle what was asked about",
		From: append(append([]State{}, anyOpen...), Failed, Aborted), FromText: "any", ToText: "same", Who: WhoSystem,
		Effect: "Closes an escalation whose cause is gone, or a call of an agent that its client does not wait for any more: nobody needs to decide on it.",
		Help:   "Take an escalation back", Example: "settle 3f9a1c",
		effect: doSettle,
	}
	settle.checks = []check{ifTask(needTask), ifTask(needReadable), needActor, needSettleable}
	return []Transition{escalate, settle}
}
