package model

// Status is the one word that people see, derived from state, flags, dependencies and
// runs, never stored. The order of the constants is the order of precedence:
// the first that matches wins, and a smaller value is worse.
type Status uint8

// The statuses in their order of precedence.
const (
	StatusProblem    Status = iota // unreadable
	StatusAborted                  // Ended by decision
	StatusFailed                   // Ended without success
	StatusError                    // retry possible
	StatusChanged                  // something it was accepted with has changed
	StatusWaiting                  // a person must answer
	StatusPaused                   // paused
	StatusSubtasks                 // waiting for its children
	StatusDone                     // completed and reviewed
	StatusReviewPlan               // a plan not yet decided
	StatusReviewWork               // completed, not yet reviewed
	StatusBlocked                  // plan accepted, dependencies unmet, or in a cycle
	StatusRunning                  // live run
	StatusReady                    // plan accepted, dependencies met
	StatusReplan                   // sent back for a new plan
	StatusPlanning                 // objective only
	StatusCreated                  // nothing yet
	NumStatuses      = int(StatusCreated) + 1
)

// Party is who can move a task of some status on.
type Party uint8

// The parties.
const (
	ForNobody Party = iota // it has ended
	ForPeople
	ForAgents
	ForTasks // others have to end first
	ForPause // somebody paused it
	NumParties
)

// String is the word for p.
func (p Party) String() string {
	return [NumParties]string{"nobody", "people", "agents", "tasks", "pause"}[p]
}

// WaitsFor is who can move a task of this status on: people decide and answer, agents write and work,
// also where they have not begun to.
func (s Status) WaitsFor() Party {
	switch s {
	case StatusReviewPlan, StatusReviewWork, StatusWaiting, StatusChanged, StatusError, StatusProblem:
		return ForPeople
	case StatusCreated, StatusPlanning, StatusReplan, StatusReady, StatusRunning:
		return ForAgents
	case StatusBlocked, StatusSubtasks:
		return ForTasks
	case StatusPaused:
		return ForPause
	}
	return ForNobody
}

// StatusOf is the status of a readable task as far as its own files tell, in the order of precedence; changed is whether
// it has changed since it was accepted.
func StatusOf(t *Task, changed bool) Status {
	st := &t.Status
	switch st.CurrentState {
	case Aborted:
		return StatusAborted
	case Failed:
		return StatusFailed
	case Errored:
		return StatusError
	}
	switch {
	case changed:
		return StatusChanged
	case st.CurrentState == Completed && (t.IsReviewed() || st.Review == nil && t.Drafts()):
		return StatusDone // final: a pause that an older system left in the file could never be taken back
	case st.IsPaused:
		return pausedStatus(st)
	case st.CurrentState == Completed:
		return StatusReviewWork
	}
	return goingFrom(t, st.CurrentState)
}

func pausedStatus(st *StatusFile) Status {
	switch st.PauseKind() {
	case "hitl":
		return StatusWaiting
	case "subtasks":
		return StatusSubtasks
	}
	return StatusPaused
}

// goingFrom is ownStatus for a task that has not ended and that no flag stops, as if it was in a state.
func goingFrom(t *Task, state State) Status {
	st := &t.Status
	switch state {
	case PlanDefined, Working:
	case ObjectiveDefined:
		return StatusPlanning
	case Replanned:
		return StatusReplan
	default:
		return StatusCreated
	}
	switch {
	case st.AcceptedPlan == nil && (t.HasPlan || st.PlanRevision > 0):
		return StatusReviewPlan
	case st.AcceptedPlan == nil:
		return StatusPlanning
	case state == Working && st.CurrentRun != "":
		return StatusRunning
	}
	return StatusReady
}

// Open reports whether work on a task of this status is still to be done or judged:
// every status but done, failed and aborted.
func (s Status) Open() bool {
	return s != StatusDone && s != StatusFailed && s != StatusAborted
}

// OwnStatus is the word for t as far as its own files tell: the first status in
// the order of precedence that matches, with every dependency taken as met. held makes the whole word of it.
//
// A plan counts as accepted by status.json's accepted_plan only. A task that is
// `working` without it was put there from outside: nobody approved what it
// would do, so it reads as a plan to review, or as planning when there is none.
func OwnStatus(t *Task, rules RulesHashes) Status {
	st := &t.Status
	if t.Unreadable() {
		return StatusProblem
	}
	switch st.CurrentState {
	case Aborted, Failed, Errored:
		return StatusOf(t, false)
	case Completed, PlanDefined, Working, ObjectiveDefined, Replanned, Created, "":
	default:
		return StatusProblem // none of the nine states
	}
	return StatusOf(t, len(ChangesOf(t, rules)) > 0)
}

// Holds are all that a task's own files say against its going on, each as the status that it would make
// of the task alone: the first one is ownStatus. Nothing for a task that is ready, running or done.
func (t *Task) Holds(rules RulesHashes) (out []Status) {
	own, st := OwnStatus(t, rules), &t.Status
	if own == StatusProblem {
		return []Status{own} // what the files say is not to be trusted
	}
	if st.CurrentState == Errored {
		out = append(out, StatusError)
	}
	if len(ChangesOf(t, rules)) > 0 {
		out = append(out, StatusChanged)
	}
	completed := st.CurrentState == Completed
	if completed && t.IsReviewed() {
		return out
	}
	if st.IsPaused {
		out = append(out, pausedStatus(st))
	}
	if completed {
		return append(out, StatusReviewWork)
	}
	after := st.CurrentState
	if after == Errored { // a retry leads to what its files support
		after = Created
		if t.HasObjective {
			after = PlanDefined
		}
	}
	if going := goingFrom(t, after); going != StatusReady && going != StatusRunning {
		out = append(out, going)
	}
	return out
}
