package desk

import (
	"encoding/json"
	"time"
)

// The kinds of review.
const (
	KindPlan       = "plan"
	KindWork       = "work"
	KindQuestion   = "question"
	KindChoice     = "choice"
	KindAction     = "action"
	KindEscalation = "escalation"
)

// The states of a review.
const (
	StatePending    = "pending"           // nobody has decided
	StateAccepted   = "accepted"          // a person said yes, or chose
	StateEdited     = "edited"            // a person said yes to other arguments: Args are those to use
	StateAnswered   = "answered"          // a person answered in words
	StateChanges    = "changes_requested" // rejected with comments, or asked back: the next plan answers them
	StateRejected   = "rejected"          // a plan or work was sent back without comments
	StateDenied     = "denied"            // a person said no
	StateExpired    = "expired"           // its time is over and nobody decided; it still waits
	StateSuperseded = "superseded"        // a newer plan is there, or what it was about has gone
	StateChanged    = "changed"           // it was accepted, and is not what it was since: nobody starts by it
	StateOrphaned   = "orphaned"          // its task or record no longer exists
	StateVerifying  = "verifying"         // of reported work: the loop checks it before a person sees it
)

// Review is what a person decides on, and what they decided.
type Review struct {
	ReviewID   string          `json:"review_id" jsonschema:"names this review for review_wait; stable for ever"`
	TaskID     string          `json:"task_id,omitempty" jsonschema:"uid of the task it is about"`
	Task       string          `json:"task,omitempty" jsonschema:"name of that task"`
	Kind       string          `json:"kind" jsonschema:"plan, work, question, choice, action or escalation"`
	Title      string          `json:"title,omitempty" jsonschema:"what was asked, in one line"`
	Report     *WorkReport     `json:"report,omitempty" jsonschema:"of work: what was reported"`
	Version    int             `json:"version,omitempty" jsonschema:"revision of the plan; base_version of the next one"`
	State      string          `json:"state" jsonschema:"pending, accepted, edited, answered, changes_requested, rejected, denied, expired, superseded, changed, orphaned or verifying; only the words of a person decide, pending and expired never do"`
	Text       string          `json:"text,omitempty" jsonschema:"the person's words"`
	Choice     string          `json:"choice,omitempty" jsonschema:"the option that the person chose"`
	Args       json.RawMessage `json:"args,omitempty" jsonschema:"what may be done: the arguments that were asked about, or those that the person put in their place"`
	By         string          `json:"by,omitempty" jsonschema:"who decided"`
	At         *time.Time      `json:"at,omitempty" jsonschema:"when they decided"`
	Late       bool            `json:"late,omitempty" jsonschema:"they decided after the request had expired"`
	Excluded   []string        `json:"excluded,omitempty" jsonschema:"parts of the plan that were not accepted with it: do not do them"`
	Feedback   []Comment       `json:"feedback,omitempty" jsonschema:"comments; the next plan_submit answers each open one in responses"`
	PollAfter  int             `json:"poll_after_s,omitempty" jsonschema:"seconds until it makes sense to call review_wait again; 0 when there is nothing to wait for"`
	NextAction string          `json:"next_action" jsonschema:"what to do now; follow it"`
}

// Decided reports that a person has decided.
func (r *Review) Decided() bool {
	switch r.State {
	case StateAccepted, StateEdited, StateAnswered, StateChanges, StateRejected, StateDenied:
		return true
	}
	return false
}

// Waits reports that a decision may still come.
func (r *Review) Waits() bool {
	return r.State == StatePending || r.State == StateExpired || r.State == StateVerifying
}

// Comment is what somebody said about a plan or about work, at the lines that it is about now.
type Comment struct {
	ID       string    `json:"id" jsonschema:"feedback_id of the response to it"`
	Kind     string    `json:"kind" jsonschema:"comment, question (wants an answer) or change (wants another text)"`
	Blocking bool      `json:"blocking" jsonschema:"the plan cannot be accepted before it is settled"`
	State    string    `json:"state" jsonschema:"open, addressed, declined, answered or resolved"`
	Doc      string    `json:"doc" jsonschema:"plan, objective, or changes of a run"`
	From     int       `json:"from,omitempty" jsonschema:"first line of this revision, or of the patch; 0 for the whole"`
	To       int       `json:"to,omitempty" jsonschema:"last line"`
	Fate     string    `json:"fate,omitempty" jsonschema:"what became of the lines since: kept, moved, edited or lost"`
	Quote    []string  `json:"quote,omitempty" jsonschema:"the lines as they were"`
	Text     string    `json:"text"`
	By       string    `json:"by"`
	At       time.Time `json:"at,omitzero"`
	Since    int       `json:"since" jsonschema:"revision that it was made on"`
	Replies  []Reply   `json:"replies"`
	Via      string    `json:"via,omitempty" jsonschema:"files: vespe was not given it, a file says who it is of"`
	Changes  *Spot     `json:"changes,omitempty" jsonschema:"of a comment on work: where in the changes"`
}

// Spot says of a comment on work where in its changes it is.
type Spot struct {
	Run  string `json:"run"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// Reply is one answer to a comment, or what a person decided about it.
type Reply struct {
	State    string    `json:"state"`
	Text     string    `json:"text,omitempty"`
	By       string    `json:"by"`
	At       time.Time `json:"at,omitzero"`
	Revision int       `json:"revision"`
	Via      string    `json:"via,omitempty"`
}
