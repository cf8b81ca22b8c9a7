package model

// Status is the one word that people see, derived from state, flags, dependencies and
// runs, never stored. The order of the constants is the order of precedence:
// the first that matches wins, and a smaller value is worse.
type Status uint8

// The statuses in their order of precedence.
const (
	StatusProblem    Status = iota // unreadable
	StatusAborted                  // ended by decision
	StatusFailed                   // ended without success
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
