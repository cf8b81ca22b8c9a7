package model

import (
	"strings"
	"time"
)

// UID names a task; it is also the name of the task's directory.
type UID string

// uidBytes are the bytes that a uid may have.
var uidBytes = func() (ok [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-") {
		ok[c] = true
	}
	return ok
}()

// Valid reports whether u may name a task directory: ^[a-z0-9][a-z0-9-]{0,63}$.
func (u UID) Valid() bool {
	if len(u) == 0 || len(u) > 64 || u[0] == '-' {
		return false
	}
	for i := range len(u) { // by hand: it is asked several times for each of 100,000 tasks
		if !uidBytes[u[i]] {
			return false
		}
	}
	return true
}

// Short is the last six characters of u, what people read and type: the head of a
// UUIDv7 is its time, alike for all tasks made in one minute, and its tail is random. It
// need not be unique; Snapshot.Find says so when it is not.
func (u UID) Short() string {
	s := strings.TrimPrefix(string(u), "tsk-")
	return s[max(0, len(s)-6):]
}

// Actor is who did something: "human:ann", "agent:claude", "system:vespe",
// "mcp_client:cursor".
type Actor string

// The kinds of actor.
const (
	Human     = "human"
	Agent     = "agent"
	System    = "system"
	MCPClient = "mcp_client"
)

// Kind is the part before the colon; "" when there is none.
func (a Actor) Kind() string {
	k, _, ok := strings.Cut(string(a), ":")
	if !ok {
		return ""
	}
	return k
}

// Name is the part after the colon; the whole when there is no colon.
func (a Actor) Name() string {
	_, n, ok := strings.Cut(string(a), ":")
	if !ok {
		return string(a)
	}
	return n
}

// State is the stored lifecycle state, `current_state` of status.json.
type State string

// The nine states. Failed and Aborted are final; Completed is final once its review is
// accepted.
const (
	Created          State = "created"
	ObjectiveDefined State = "objective_defined"
	PlanDefined      State = "plan_defined"
	Working          State = "working"
	Errored          State = "error"
	Failed           State = "failed"
	Completed        State = "completed"
	Replanned        State = "replanned"
	Aborted          State = "aborted"
)

// Doc names one of a task's two revisioned texts.
type Doc string

// The two documents of a task.
const (
	Objective Doc = "objective"
	Plan      Doc = "plan"
)

// Changes is what a comment is about that is about neither: the patch of a run (changes.patch).
const Changes Doc = "changes"

// Content is one version of a document as bytes.
type Content struct {
	Doc      Doc
	Body     []byte
	Hash     string // "sha256-<hex>" of Body
	Revision int    // 1-based; 0 when these bytes are no recorded revision (edited outside vespe)
}

// Task is one task as read from its directory. A Task inside a Snapshot is never
// changed; Clone it first.
type Task struct {
	UID       UID
	Config    Config
	Status    StatusFile
	DependsOn []UID
	DepsExtra Extra // unknown keys of dependencies.json
	Spec      *Spec // nil when there is no spec.json

	HasStatus    bool // status.json exists; absent reads as created
	HasObjective bool // objective.md exists
	HasPlan      bool // plan.md exists

	// Problems found while reading this task; a task with an Error-severity problem has
	// the status StatusProblem and no transition applies to it.
	Problems []Problem
}

// Extra keeps the unknown keys of a JSON object, in file order, so that a rewrite loses
// nothing.
type Extra []ExtraField

// ExtraField is one unknown key with its raw JSON value.
type ExtraField struct {
	Key   string
	Value []byte
}

// Config is config.json: identity. Only Name may ever change, by rename.
type Config struct {
	UID       UID
	Name      string
	CreatedBy Actor
	CreatedAt time.Time
	ParentUID UID // "" for a root task
	Extra     Extra
}

// StatusFile is status.json: the stored state and flags. The word people see is Status,
// which is derived and never stored.
type StatusFile struct {
	CurrentState        State
	LastUpdatedAt       time.Time
	Progress            string
	ParentContentHashes []ContentHash // sorted by Key
	IsPaused            bool
	PauseReason         string // "subtasks", "hitl", "hitl: <text>", or any text (PauseKind)
	PausedBy            Actor  // who paused it, which is nobody's who waits for something; "" where that is not known (vespe's own key `paused_by`)
	PreviousState       State  // where an error or a pause for subtasks came from
	SubtaskUIDs         []UID  // spawned and still open
	ErrorDetails        string
	RetryCount          int
	ByHand              Actor // see ByHand (vespe's own key `by_hand`)
	FailedBy            UID   // the subtask that it failed with; "" where it failed by itself (vespe's own key `failed_by`)
	AssignedAgentUID    Actor
	CurrentRun          string         // id of the live run; "" when none (vespe's own key `current_run`)
	RunStartedAt        time.Time      // when CurrentRun began; zero when none (vespe's own key `run_started_at`)
	Runs                int            // that ended with a result or an error, where it is known when they began (vespe's own key `runs`)
	RunSeconds          int            // what these took together (vespe's own key `run_seconds`)
	ChangedBecause      []ChangeReason // non-empty: the task is changed
	PlanRevision        int            // 0 when there has been none
	ObjectiveRevision   int
	AcceptedPlan        *AcceptedPlan // nil when no plan is accepted
	Review              *Review       // the last verdict on the plan or the work; nil when undecided
	Answered            []string      // requests that a person answered and that nothing has acted on since (vespe's own key `answered`)
	Comments            *CommentBook  // what was said about the plan; nil when nothing was (vespe's own key `comments`)
	Lowered             []string      // what somebody lowered past vespe, as it was: see lowered.go (vespe's own key `lowered`)
	Elsewhere           *Elsewhere    // acceptances in the file that do not count here; never read from it, and written back as they were
	Undo                *Undo         // how to take back the last verdict; nil when consumed or none (vespe's own key `undo`)
	LastOps             []string      // operations that its history ends with, more than one after a merge (vespe's own key `last_ops`)
	UnmergedOps         []string      // those of another clone that are not merged into it yet (vespe's own key `unmerged_ops`)
	PickedOps           []string      // that came without those before them (vespe's own key `picked_ops`)
	Revision            int           // counts versions of this file, for compare-and-swap
	Extra               Extra
}

// ContentHash is one entry of parent_content_hashes: Key is "<uid>_objective",
// "<uid>_plan" or "<uid>_result", Hash is "sha256-<hex>".
type ContentHash struct{ Key, Hash string }

// ChangeReason is one entry of changed_because: what changed, from which hash to which.
// File is "<uid>/plan.md", "<uid>/result", "spec.json" and so on.
type ChangeReason struct{ File, Old, New string }

// AcceptedPlan says which bytes a person accepted.
type AcceptedPlan struct {
	PlanRevision      int
	PlanHash          string
	ObjectiveRevision int
	ObjectiveHash     string
	By                Actor
	At                time.Time
	Approval          string   // file name under approvals/
	ApprovalHash      string   // of that file; "" where an older vespe accepted, which bound to the texts alone
	Excluded          []string // what of the plan is not accepted: headings of sections, and uids of subtasks
	SpecHash          string   // of the terms of spec.json; "" as above
	DependenciesHash  string
	PolicyHash        string
	Extra             Extra
}

// IsElsewhere reports that the acceptance names no bytes: a store that vespe did not write says "ready" or "blocked".
// The task reads as that, and starts once a person has accepted its plan here.
func (a *AcceptedPlan) IsElsewhere() bool {
	return a != nil && a.PlanRevision == 0 && a.By == "" && a.PlanHash == "" && a.ObjectiveHash == "" && a.PolicyHash == "" && a.Approval == ""
}

// Review is the last verdict.
type Review struct {
	Of       string // "plan" or "work"
	Verdict  string // one of the Verdict constants
	By       Actor
	At       time.Time
	Reason   string
	Revision int // the plan revision that was judged
	// The file under approvals/ of accepted work, and its hash; an older vespe wrote neither.
	Approval     string
	ApprovalHash string
	// Who read the verdict first of those that it is for, and when (FetchVerdict); nobody yet
	// when empty.
	FetchedBy Actor
	FetchedAt time.Time
	Extra     Extra
}

// Undo holds what taking back a verdict needs: the transition, and every task that the
// verdict changed with its status file before. It is consumed when any of those tasks
// has moved past Revision.
type Undo struct {
	Transition Name
	By         Actor
	At         time.Time
	Tasks      []UndoTask
	Requests   []UndoRequest // that the verdict superseded
}

// UndoRequest is a request that a verdict superseded, with its state before.
type UndoRequest struct{ ID, State string }

// UndoTask is one task that a verdict changed.
type UndoTask struct {
	UID      UID
	Revision int    // of status.json just after the verdict
	Before   []byte // status.json just before it, canonical JSON, without `undo`
}

// Spec is spec.json: everything else about the work.
type Spec struct {
	Description         string
	UserStory           string
	GoalType            string
	Constraints         []string
	AcceptanceCriteria  []Criterion
	Steps               []Step
	Priority            Priority
	PriorityBy          *PriorityBy // which rule set Priority; nil: somebody gave it
	Source              string
	Context             []ExtraField // an object of any values, in file order
	Requester           string
	Risk                string // low, medium, high or ""
	RequiresHITL        bool
	FilesToCreate       []string
	FilesToModify       []string
	TestFiles           []string
	Verify              [][]string // argv lists
	MilestoneID         string
	EstimatedComplexity float64 // 0 when not estimated
	MaxAttempts         int     // 0: the store's policy
	Labels              []string
	External            []ExtraField // ids in other systems
	Intent              string
	Extra               Extra
}

// PriorityBy says which rule set a priority. It holds only while the priority is the one that
// the rule set: another was given by somebody since.
type PriorityBy struct {
	Priority Priority
	Rule     string // for people: "patterns[1] invoice", "score 0.91", "default"
	Extra    Extra
}

// RuledPriority is which rule set the spec's priority; "" where somebody gave it, or it has
// none.
func (s *Spec) RuledPriority() string {
	if s == nil || s.PriorityBy == nil || s.Priority == "" || s.PriorityBy.Priority != s.Priority {
		return ""
	}
	return s.PriorityBy.Rule
}

// GivenPriority reports whether somebody gave the spec its priority: rules leave it alone then.
func (s *Spec) GivenPriority() bool { return s != nil && s.Priority != "" && s.RuledPriority() == "" }

// Criterion is one acceptance criterion. State and Evidence are "" for one that was
// written as a plain string, and it is written back as one.
type Criterion struct {
	Text, State, Evidence string
	Extra                 Extra
}

// Step is one line of spec.steps.
type Step struct {
	Step  string
	Done  bool
	Extra Extra
}

// Priority is critical, high, medium, low, or "" when nobody set one (medium in order).
type Priority string

// The priorities, highest first.
const (
	Critical Priority = "critical"
	High     Priority = "high"
	Medium   Priority = "medium"
	Low      Priority = "low"
)

// Rank orders priorities: 0 critical … 3 low; unset ranks as medium.
func (p Priority) Rank() int {
	switch p {
	case Critical:
		return 0
	case High:
		return 1
	case Low:
		return 3
	}
	return 2
}

// Policy is what of .vespe/config.json the lifecycle reads.
type Policy struct {
	Name             string
	Description      string
	DependencyPolicy string // "completed" (default) or "completed_or_aborted"
	OnSubtaskFailure string // "fail" (default) or "hold"
	MaxAttempts      int    // default 3
	Extra            Extra  // every other key, kept
	// Unread says why the file cannot be read, or which rule of it is misspelt; "" for neither. Then the
	// strictest of each rule holds.
	Unread string
}

// Severity says how bad a Problem is.
type Severity int

// A Warning leaves its task usable; an Error does not.
const (
	Warning Severity = iota
	Error
)

// Problem is something wrong with the store or with one task: a visible row, never a
// crash. Path is relative to the repository root; Line is 1-based, 0 when it has none.
type Problem struct {
	UID      UID // "" when it belongs to no task
	Path     string
	Line     int
	Severity Severity
	Code     string // a stable word: "bad-json", "wrong-type", "missing-file", "not-regular", "cycle", "orphan", …
	Reason   string
	Hint     string // what to do
}

// ResultFile is one file under result/.
type ResultFile struct {
	Path string // slash path relative to result/
	Size int64
	Hash string // "sha256-<hex>"
}
