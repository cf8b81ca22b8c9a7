package machine

import (
	"strings"

	"vespe/model"
)

// What operations lead to, as sentences about the operation's task or with the tasks that they are about. The codes are
// for programs, and several sentences may have one.
var (
	// The task itself, and what it waits for.
	CanStart            = effect("can_start", "it can start")
	CanRetry            = effect("can_start", "it is ready for another attempt")
	FirstAttempt        = effect("can_start", "attempt 1 of %d can start")
	CanBeRetried        = effect("can_retry", "it can be retried")
	WorkedOn            = effect("worked_on", "%s works on it")
	ByHand              = effect("worked_on", "%s does the work by hand, and the next run verifies it")
	Attempt             = effect("attempt", "attempt %d of %d")
	LastAttempt         = effect("last_attempt", "attempt %d of %d was the last")
	NotCounted          = effect("not_counted", "no attempt is counted")
	FailedForGood       = effect("failed", "it has failed for good")
	IsDone              = effect("done", "it is done")
	TakesResponsibility = effect("done", "%s takes responsibility, and it is done")
	WaitsFor            = effect("waits_for", "it waits for %s")
	StillWaitsFor       = effect("waits_for", "%s still waits for %s")
	DependsOn           = effect("depends_on", "it depends on %s")
	InCycle             = effect("in_cycle", "it is in a dependency cycle: %s")
	WaitsForSubtasks    = effect("waits_for_subtasks", "it waits for its subtasks")
	SubtasksOpen        = effect("waits_for_subtasks", "%s still open")
	StaysPausedHow      = effect("paused", "it stays %s")
	StaysPaused         = effect("paused", "%s stays paused")
	OnlyPersonResumes   = effect("paused", "only a person can resume it")
	Held                = effect("held", "%s is held until a person decides")
	Resumes             = effect("resumes", "%s resumes")
	ResumesWithout      = effect("resumes", "%s resumes without that")
	StateIs             = effect("state", "its status is %s")
	HasPhases           = effect("has_phases", "it has three phases")

	// Its plan and its acceptance.
	NewRevision         = effect("revision", "revision %d")
	RevisionWaits       = effect("waits_for_review", "revision %d waits for review")
	PlanWaits           = effect("waits_for_review", "its plan waits for review")
	PlansWait           = effect("waits_for_review", "their plans wait for review")
	WorkWaits           = effect("waits_for_review", "its work waits for review")
	StaysUndecided      = effect("waits_for_review", "it stays undecided")
	PlannerMustAnswer   = effect("planner_must_answer", "its planner must answer")
	NeedsObjective      = effect("needs_objective", "it needs an objective")
	NeedsPlan           = effect("needs_plan", "it needs a plan")
	NeedsNewPlan        = effect("needs_plan", "it needs a new plan")
	BackToPlanning      = effect("needs_plan", "back to planning")
	HasNoPlan           = effect("needs_plan", "%s has no plan yet")
	NotByHand           = effect("needs_acceptance", "it can't be done by hand until its plan is accepted")
	PlanStillAccepted   = effect("still_accepted", "its accepted plan is still valid")
	PlanStillValid      = effect("still_accepted", "its plan is still valid")
	PlanAccepted        = effect("accepted", "the plan of %s is accepted")
	OldAcceptanceVoid   = effect("not_accepted", "the acceptance of the previous plan is void")
	AcceptanceWithdrawn = effect("not_accepted", "its acceptance is withdrawn")
	PlanNotAccepted     = effect("not_accepted", "its plan is no longer accepted")
	UnchangedUnaccepted = effect("not_accepted", "no longer changed; its plan is not accepted")
	LeavesOut           = effect("leaves_out", "%s: %s")
	Changes             = effect("changed", "that differs from what was accepted; it is changed")
	Differ              = effect("changed", "%s from what was accepted")
	DifferAsRecorded    = effect("changed", "%s from what was accepted, as already recorded")
	MatchesAgain        = effect("matches", "everything matches its acceptance again")
	Lowered             = effect("lowered", "%s")
	NotBelieved         = effect("not_believed", "%s")

	// Other tasks.
	MakesReady        = effect("makes_ready", "%s ready")
	TasksWait         = effect("tasks_wait", "%s directly for it%s")
	StayBlocked       = effect("tasks_blocked", "%s blocked")
	ChangesDependents = effect("tasks_changed", "%s changed because of it")
	ChangesAccepted   = effect("tasks_changed", "what %s %s accepted with no longer holds, so %s changed")
	NowWaitFor        = effect("tasks_wait", "%s %s for %s")
	WaitsForIt        = effect("parent_waits", "%s waits for it")
	WaitsAgain        = effect("parent_waits", "%s waits for it again")
	WaitsForThem      = effect("parent_waits", "%s waits for them")
	WaitsForSome      = effect("parent_waits", "%s waits for %s")
	FailsWithIt       = effect("fails_with_it", "%s fails with it")
	OpensAgain        = effect("reopens", "%s, which failed with it, is open again")
	OpensAndWaits     = effect("reopens", "%s, which failed with it, is open again, and waits for it")
	DocDefined        = effect("defined", "the %s of %s is defined")

	// People, requests and comments.
	AsksPerson          = effect("asks", "a person is asked what to do")
	AsksAgain           = effect("asks", "it waits for an answer again: %s")
	NeedsConsent        = effect("asks", "%s")
	WaitsForPerson      = effect("waits_for_person", "%s waits for a person")
	StillWaitsForPerson = effect("waits_for_person", "%s still waits for a person")
	KeepsWaiting        = effect("waits_for_person", "it keeps waiting")
	Supersedes          = effect("supersedes", "its request is superseded: %s")
	HadExpired          = effect("expired", "it had expired on %s")
	NothingToDecide     = effect("settled", "no decision is needed")
	DecidedAs           = effect("decided", "%s")
	DecidedByOther      = effect("decided_by", "it was decided by %s")
	WasRead             = effect("already_read", "%s has already read it")
	AlreadyRead         = effect("already_read", "it was already read")
	Comments            = effect("comments", "%s")
	CommentsAnswered    = effect("comments", "%s answered")
	Quotes              = effect("comments", "%s")

	// Priorities and milestones.
	PriorityStays  = effect("unchanged", "its priority was set by hand and stays")
	NoRule         = effect("no_rule", "no rule sets it now")
	ByRule         = effect("rule", "the rule is %s")
	NewMilestones  = effect("new_milestones", "%s %s")
	LoseMilestone  = effect("no_milestone", "%s no milestone now")
	HasNoMilestone = effect("unchanged", "it has no milestone")
	IsInMilestone  = effect("unchanged", "it is already in it")
	ChangedFields  = effect("fields", "changed: %s")

	// Nothing.
	NothingToDo    = effect("unchanged", "nothing would change")
	NothingChanged = effect("unchanged", "nothing has changed")
	NothingEdited  = effect("unchanged", "nothing was edited")
)

func effect(code, text string) model.EffectKind { return model.NewEffectKind(code, text) }

// foreseen is an effect before the operation is done, and after.
type foreseen struct{ before, after model.Effect }

// Say adds to what the step's event says. A task among args is named, and so are those of a list of uids.
func (s *Step) Say(kind model.EffectKind, args ...any) {
	s.Effects = append(s.Effects, s.effect(kind, args))
}

// SayState says what a task needs that is in a state now.
func (s *Step) SayState(now model.State) {
	switch now {
	case model.Created:
		s.Say(NeedsObjective)
	case model.ObjectiveDefined:
		s.Say(NeedsPlan)
	case model.PlanDefined:
		s.Say(PlanWaits)
	case model.Replanned:
		s.Say(NeedsNewPlan)
	default:
		s.Say(StateIs, now.Label(true))
	}
}

// Also adds to what the operation's summary says beyond its own step.
func (x *Tx) Also(kind model.EffectKind, args ...any) {
	e := x.effect(kind, args)
	x.effects = append(x.effects, foreseen{e, e})
}

// AlsoFrom adds what the events from the nth on tell.
func (x *Tx) AlsoFrom(n int) {
	for k, e := range x.Events[n:] {
		before := e.Summary
		if rest, ok := strings.CutPrefix(e.Summary, x.deeds[n+k].Done()); ok {
			before = x.deeds[n+k].Do() + rest
		}
		kind := effect(string(e.Name), "%s")
		x.effects = append(x.effects, foreseen{kind.Effect([]model.UID{e.UID}, before), kind.Effect([]model.UID{e.UID}, e.Summary)})
	}
}

func (x *Tx) effect(kind model.EffectKind, args []any) model.Effect {
	var about []model.UID
	for i, arg := range args {
		switch v := arg.(type) {
		case *model.Task:
			about, args[i] = append(about, v.UID), model.Quoted(v)
		case []model.UID:
			about, args[i] = append(about, v...), x.Listed(v)
		}
	}
	return kind.Effect(about, args...)
}
