package model

import (
	"strings"
	"time"
)

// Name names an operation: a transition of the lifecycle or an edit (create, rename, …).
type Name string

// The transitions, rows of Table.
const (
	DefineObjective         Name = "define_objective"
	DefinePlan              Name = "define_plan"
	AcceptPlan              Name = "accept_plan"
	RejectPlan              Name = "reject_plan"
	Start                   Name = "start"
	WorkCompleted           Name = "work_completed"
	ReviewAccepted          Name = "review_accepted"
	ReviewRejected          Name = "review_rejected"
	RaiseError              Name = "error"
	Retry                   Name = "retry"
	Reopen                  Name = "reopen"
	Skip                    Name = "skip"
	StopRun                 Name = "stop"
	SpawnSubtask            Name = "spawn_subtask"
	HandleSubtaskCompletion Name = "handle_subtask_completion"
	Pause                   Name = "pause"
	Resume                  Name = "resume"
	Ask                     Name = "ask"
	AnswerRequest           Name = "answer"
	Escalate                Name = "escalate"
	Settle                  Name = "settle"
	Abort                   Name = "abort"
	Check                   Name = "check"
	Revalidate              Name = "revalidate"
	Replan                  Name = "replan"
	QuestionPlan            Name = "question_plan"
	DeferPlan               Name = "defer_plan"
	AddComment              Name = "comment"
	AnswerComments          Name = "answer_comments"
	ResolveComment          Name = "resolve_comment"
	ReopenComment           Name = "reopen_comment"
	UndoVerdict             Name = "undo"
)

// The edits: they change files but never the state.
const (
	CreateTask       Name = "create"
	RenameTask       Name = "rename"
	AddDependency    Name = "add_dependency"
	RemoveDependency Name = "remove_dependency"
	SetFields        Name = "set"
	ImportTask       Name = "import"
	FetchAnswer      Name = "fetch_answer"
	FetchVerdict     Name = "fetch_verdict"
)

// The channels of vespe itself (Op.Channel).
const (
	ChannelCLI       = "cli"       // a verb of the command line
	ChannelWorkbench = "workbench" // a key in the workbench
	ChannelFiles     = "files"     // files that were edited past vespe
)

// Op is one operation on one task: what the workbench, the CLI, MCP and the loop all
// send to the store.
type Op struct {
	ID    string // op_id; the store makes one when it is empty. A repeated ID returns the first result.
	Name  Name
	UID   UID
	Actor Actor
	// Channel is the way the operation came in: one of the Channel constants, or what
	// another program calls itself. The store's own when empty.
	Channel string
	At      time.Time // the store's clock when zero

	// ExpectRevision refuses the operation with a Conflict when the task's
	// status.json is at another revision; 0 expects nothing.
	ExpectRevision int
	// Seen are the bytes the person was looking at; accept_plan refuses when today's
	// differ. nil: the caller saw nothing and accepts what is there.
	Seen *Seen

	Reason string // every transition that takes a reason
	// Signature is of the approval that the operation writes (Approval.Statement), armored as
	// ssh-keygen writes it; "" for none. It binds ID, At and Seen.
	Signature string

	// Args is what else the operation needs, of the type that its row names.
	Args Args
}

// The verdicts of a review (Review.Verdict).
const (
	VerdictAccepted = "accepted"
	VerdictRejected = "rejected"
	VerdictAsked    = "asked"    // undecided until the questions are answered
	VerdictDeferred = "deferred" // undecided, and put off
)

// Seen names the bytes that were on screen.
type Seen struct {
	ObjectiveHash string // "" when there was no objective
	PlanHash      string
	// Bound are the hashes of everything else that a verdict binds to, by file, as Bound
	// has them. Empty: nothing else matters to the verdict, and nothing else is compared.
	Bound map[string]string
	// Verdict is the one that stood on the task (VerdictOn). It is compared where Bound is
	// not nil: two people may be deciding at once.
	Verdict string
	Head    string // hash of the last entry of the log then; only a signature needs it
}

// NewRequest is what ask needs. Title is one line; the rest may be left out.
type NewRequest struct {
	Kind      string // one of the Kind constants; a question when empty
	Title     string
	Detail    string
	Options   []string
	Args      []byte   // a JSON object, kept byte for byte
	Allow     []string // of accept, edit, respond, deny
	Risk      string   // low, medium, high, or ""
	ExpiresAt time.Time
	// Key makes the same question of one task the same request: it is filed once, and asked
	// again it gives the one that there is.
	Key string
	// Holds makes the task wait for the answer to what is escalated. What is asked holds it anyway.
	Holds bool
}

// Answering is what answer needs.
type Answering struct {
	Request  string `arg:"request"` // its id; "" for the only one that the task waits for
	Decision Decision
	Text     string // what the person says; a denial has to
	Choice   string // choose: one of the options
	Args     []byte // edit: what is to be done instead, a JSON object
	// Seen is the ContentHash of the request as the person read it; the answer is refused
	// when it asks something else by now. "" expects nothing.
	Seen string
}

// NewTask is what create needs. UID and phase UIDs are chosen by the caller (the store
// fills them in from its clock and random source when empty).
type NewTask struct {
	UID       UID
	Name      string
	Parent    UID
	Objective string // not blank: define_objective is fired in the same transaction
	DependsOn []UID
	Spec      *Spec
	Phases    bool // also make define_objective, create_plan, create_subtasks below it
	PhaseUIDs [3]UID
}

// Assignment is one key=value of `set`; keys are those of spec.json. A list key takes
// comma-separated values; "+=" and "-=" add and remove (Mode).
type Assignment struct {
	Key, Value string
	Mode       byte // '=', '+', '-'
}

// Imported is a whole task from another system, with its history. An import never
// carries an approval: a state past plan_defined other than a final one is
// refused.
type Imported struct {
	Task      *Task
	Objective string
	Plan      string
	Result    map[string]string // file name under result/ → text
	Events    []Event
}

// Event is one line of a task's history: persistent/<stamp>_<event>.json.
type Event struct {
	Name    Name         `file:"event,always"`
	UID     UID          `file:"uid,always"`
	At      time.Time    `file:"at,always"`
	Actor   Actor        `file:"actor,always"`
	Channel string       `file:"channel"` // the way it came in; "" where that was not written down
	From    State        `file:"from"`
	To      State        `file:"to"`
	Reason  string       `file:"reason"`
	Summary string       `file:"summary"` // one line for people
	OpID    string       `file:"op_id"`
	Seq     uint64       `file:"seq"`   // of the log entry; filled in by the store
	Cause   UID          `file:"cause"` // the task whose transition set this one off; "" for the operation itself
	Details []ExtraField `file:"details,as=details"`
	After   []string     `file:"after"`            // the operations that the task's history ended with before it (StatusFile.LastOps)
	Patch   []byte       `file:"patch,as=compact"` // what the operation changed in the task, as Change.Chain writes it; nil: nothing, or unknown
	File    string       // name under persistent/; filled in when read
}

// FileChange is content that an operation writes inside one task's directory or
// elsewhere under .vespe. Path is slash-separated, relative to .vespe.
type FileChange struct {
	Path      string
	Body      []byte
	Immutable bool // refuse to replace an existing file (revisions, approvals, events)
	Edited    bool // it holds these bytes already: somebody else wrote them; nil: and took it away

	Was string // of an edited file: the hash of what was known to be there before; "": nothing
}

// Change is the outcome of Apply: after-images and events, ready to be logged and
// projected. It is complete: cascades to parents and dependents are in it.
type Change struct {
	Op       Op
	Tasks    []*Task   // after-images with their revision counted up, the subject first
	Touched  []Touched // which files of each of Tasks changed, same order
	Files    []FileChange
	Requests []Request
	// Milestones is milestones.json after the operation; nil: it is as it was.
	Milestones *Milestones
	Events     []Event  // the operation's own first, then what it set off
	Deed       Deed     // what it does; of a change from the log only Summary is known
	Summary    string   // one line: what happened, and what came of it
	Effects    []Effect // what comes of it
	Request    string   // id of the request that it filed, found or was about; "" for none
	Milestone  string   // id of the milestone that it was about; "" for none
	Waits      bool     // start: a person has to allow it first, and was asked (Request)
	Warnings   []string
}

// Would is what the operation would do, for who has not done it yet: `accept the plan of "Parser". It can start.`
func (c *Change) Would() string {
	return sentences(c.Deed.Do(), c.Effects)
}

// Touched says which of a task's own files changed.
type Touched struct{ Config, Status, Dependencies, Spec bool }

// The edits of milestones. The first three are on no task.
const (
	CreateMilestone Name = "create_milestone"
	EditMilestone   Name = "edit_milestone"
	RemoveMilestone Name = "remove_milestone"
	AssignMilestone Name = "assign_milestone" // puts a task into a milestone, or takes it out
)

// Prioritize is the operation that sets a priority by rules (model/priority).
const Prioritize Name = "prioritize"

// ExternalEdit is the operation, and the event, that records bytes which were written past
// vespe.
const ExternalEdit Name = "external_edit"

// Update announces that a store has changed.
type Update struct {
	Seq    uint64 // number of the last entry of the log
	Edited bool   // tasks were edited outside vespe, or such edits undone, since the last update
	Stale  string // why the data may be out of date, in words; "" when it is current
}

// opWords are what people read of an operation.
type opWords struct {
	title   string // "Accept plan"; "" of an edit, whose name says it
	phrase  string // the verb of a sentence, before the task's name: "accept the plan of"
	command string // its group and verb on the command line: "plan accept"; "" for what only vespe does
}

// operations are those of the lifecycle and the edits beside it.
var operations = map[Name]opWords{
	CreateTask:              {title: "New task", phrase: "create"},
	RenameTask:              {phrase: "rename"},
	AddDependency:           {phrase: "add a dependency to"},
	RemoveDependency:        {phrase: "remove a dependency of"},
	SetFields:               {title: "Set fields", phrase: "set fields of"},
	ImportTask:              {phrase: "import"},
	Decompose:               {phrase: "decompose"},
	FetchAnswer:             {phrase: "fetch an answer about"},
	FetchVerdict:            {phrase: "fetch the verdict on"},
	CreateMilestone:         {phrase: "create milestone"},
	EditMilestone:           {phrase: "edit milestone"},
	RemoveMilestone:         {phrase: "remove milestone"},
	AssignMilestone:         {phrase: "assign a milestone to"},
	Prioritize:              {phrase: "prioritize"},
	QuestionPlan:            {"Ask about plan", "ask about the plan of", "plan ask"},
	DeferPlan:               {"Defer plan", "defer the plan of", "plan defer"},
	AddComment:              {"Comment", "comment on the plan of", "comment add"},
	AnswerComments:          {"Answer comments", "answer comments on the plan of", "comment answer"},
	ResolveComment:          {"Resolve comment", "resolve a comment on the plan of", "comment resolve"},
	ReopenComment:           {"Reopen comment", "reopen a comment on the plan of", "comment reopen"},
	DefineObjective:         {"Define objective", "define the objective of", "task define"},
	DefinePlan:              {"Define plan", "define the plan of", "plan define"},
	AcceptPlan:              {"Accept plan", "accept the plan of", "plan accept"},
	RejectPlan:              {"Reject plan", "reject the plan of", "plan reject"},
	Start:                   {"Start", "start", "run start"},
	WorkCompleted:           {"Complete work", "complete", "work done"},
	ReviewAccepted:          {"Accept work", "accept the work on", "work accept"},
	ReviewRejected:          {"Reject work", "reject the work on", "work reject"},
	RaiseError:              {"Report error", "report an error in", "work error"},
	Retry:                   {"Retry", "retry", "work retry"},
	SpawnSubtask:            {"Spawn subtask", "spawn a subtask of", "work spawn"},
	HandleSubtaskCompletion: {"Handle subtask completion", "handle the end of a subtask of", ""},
	Pause:                   {"Pause", "pause", "task pause"},
	Resume:                  {"Resume", "resume", "task resume"},
	Abort:                   {"Abort", "abort", "task abort"},
	UndoVerdict:             {"Undo verdict", "undo the verdict on", "task undo"},
	Check:                   {"Check", "check", "plan check"},
	ExternalEdit:            {"External edit", "record an edit of", ""},
	Revalidate:              {"Revalidate", "revalidate", "plan revalidate"},
	Replan:                  {"Replan", "ask for a new plan for", "plan replan"},
	Ask:                     {"Ask", "ask about", "request ask"},
	AnswerRequest:           {"Answer", "answer a request about", "request answer"},
	Reopen:                  {"Reopen", "reopen", "work reopen"},
	Skip:                    {"Skip", "skip", "work skip"},
	StopRun:                 {"Stop run", "stop the run of", "run stop"},
	Escalate:                {"Escalate", "escalate about", ""},
	Settle:                  {"Settle", "settle a request about", ""},
}

// Title is what an event of this name is called for people: that of the operation, or the name in words.
func (n Name) Title() string {
	if title := operations[n].title; title != "" {
		return title
	}
	words := strings.ReplaceAll(string(n), "_", " ")
	if words != "" && 'a' <= words[0] && words[0] <= 'z' {
		words = string(words[0]-'a'+'A') + words[1:]
	}
	return words
}

// CommandPath is the group and verb of an operation on the command line: "plan accept"; "" for what only vespe does.
func (n Name) CommandPath() string { return operations[n].command }

// Command is the command line of an operation, without its arguments: "vespe plan accept".
func (n Name) Command() string { return "vespe " + n.CommandPath() }

// Verb is the command that did it before commands had groups, and still does: "accept-plan".
func (n Name) Verb() string { return strings.ReplaceAll(string(n), "_", "-") }

// Phrase is the verb of a sentence about an operation, before the task's name: "accept the plan of".
func (n Name) Phrase() string { return operations[n].phrase }
