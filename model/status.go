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
	case StatusReviewPlan, StatusReviewWork, StatusWaiting, StatusChanged, StatusProblem:
		return ForPeople
	case StatusCreated, StatusPlanning, StatusReplan, StatusReady, StatusRunning, StatusError:
		return ForAgents
	case StatusBlocked, StatusSubtasks:
		return ForTasks
	case StatusPaused:
		return ForPause
	}
	return ForNobody
}
