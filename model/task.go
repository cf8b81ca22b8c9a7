package model

import (
	"bytes"
	"slices"
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

// Label is the name of a person, and of anybody else the name with its kind: "ann", "robot (agent)".
func (a Actor) Label() string {
	switch kind := a.Kind(); {
	case a.Name() == "":
		return "nobody"
	case kind != "" && kind != Human:
		return a.Name() + " (" + strings.ReplaceAll(kind, "_", " ") + ")"
	}
	return a.Name()
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
	UID       UID       `file:"uid,always,vital,as=identity"`
	Name      string    `file:"name,always,vital,as=name"`
	CreatedBy Actor     `file:"created_by,always"`
	CreatedAt time.Time `file:"created_at,always"`
	ParentUID UID       `file:"parent_uid,always,as=or-null"` // "" for a root task
	Extra     Extra
}

// StatusFile is status.json: the stored state and flags. The word people see is Status,
// which is derived and never stored.
type StatusFile struct {
	CurrentState        State          `file:"current_state,always,vital,as=current-state"`
	LastUpdatedAt       time.Time      `file:"last_updated_at,always"`
	Progress            string         `file:"progress,as=progress"`
	ParentContentHashes []ContentHash  `file:"parent_content_hashes,always,as=hashes"` // sorted by Key
	IsPaused            bool           `file:"is_paused,always"`
	PauseReason         string         `file:"pause_reason"`        // "subtasks", "hitl", "hitl: <text>", or any text (PauseKind)
	PausedBy            Actor          `file:"paused_by"`           // who paused it; "" where that is not known, or it waits for something
	PreviousState       State          `file:"previous_state"`      // where an error or a pause for subtasks came from
	SubtaskUIDs         []UID          `file:"subtask_uids,always"` // spawned and still open
	ErrorDetails        string         `file:"error_details"`
	RetryCount          int            `file:"retry_count,always"`
	ByHand              Actor          `file:"by_hand"`   // see ByHand
	FailedBy            UID            `file:"failed_by"` // the subtask that it failed with; "" where it failed by itself
	AssignedAgentUID    Actor          `file:"assigned_agent_uid,head"`
	CurrentRun          string         `file:"current_run"`                // id of the live run; "" when none
	RunStartedAt        time.Time      `file:"run_started_at"`             // when CurrentRun began; zero when none
	Runs                int            `file:"runs"`                       // that ended with a result or an error, where it is known when they began
	RunSeconds          int            `file:"run_seconds"`                // what these took together
	ChangedBecause      []ChangeReason `file:"changed_because,as=changes"` // non-empty: the task is changed
	PlanRevision        int            `file:"plan_revision"`              // 0 when there has been none
	ObjectiveRevision   int            `file:"objective_revision"`
	AcceptedPlan        *AcceptedPlan  `file:"accepted_plan,as=accepted"` // nil when no plan is accepted
	Review              *Review        `file:"review"`                    // the last verdict on the plan or the work; nil when undecided
	Answered            []string       `file:"answered"`                  // requests that a person answered and that nothing has acted on since
	Comments            *CommentBook   `file:"comments"`                  // what was said about the plan; nil when nothing was
	Lowered             []string       `file:"lowered"`                   // what somebody lowered past vespe, as it was: see lowered.go
	Elsewhere           *Elsewhere     // acceptances in the file that do not count here; never read from it, and written back as they were
	Undo                *Undo          `file:"undo"`                     // how to take back the last verdict; nil when consumed or none
	LastOps             []string       `file:"last_ops,as=one-line"`     // operations that its history ends with, more than one after a merge
	UnmergedOps         []string       `file:"unmerged_ops,as=one-line"` // those of another clone that are not merged into it yet
	PickedOps           []string       `file:"picked_ops,as=one-line"`   // that came without those before them
	Revision            int            `file:"revision,always"`          // counts versions of this file, for compare-and-swap
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
	PlanRevision      int       `file:"plan_revision"`
	PlanHash          string    `file:"plan_hash,as=hash"`
	ObjectiveRevision int       `file:"objective_revision"`
	ObjectiveHash     string    `file:"objective_hash,as=hash"`
	By                Actor     `file:"by"`
	At                time.Time `file:"at"`
	Approval          string    `file:"approval"`              // file name under approvals/
	ApprovalHash      string    `file:"approval_hash,as=hash"` // of that file; "" where an older vespe accepted, which bound to the texts alone
	Excluded          []string  `file:"excluded"`              // what of the plan is not accepted: headings of sections
	SpecHash          string    `file:"spec_hash,as=hash"`     // of the terms of spec.json; "" as above
	DependenciesHash  string    `file:"dependencies_hash,as=hash"`
	PolicyHash        string    `file:"policy_hash,as=hash"`
	Extra             Extra
}

// IsElsewhere reports that the acceptance names no bytes: a store that vespe did not write says "ready" or "blocked".
// The task reads as that, and starts once a person has accepted its plan here.
func (a *AcceptedPlan) IsElsewhere() bool {
	return a != nil && a.PlanRevision == 0 && a.By == "" && a.PlanHash == "" && a.ObjectiveHash == "" && a.PolicyHash == "" && a.Approval == ""
}

// Review is the last verdict.
type Review struct {
	Of       string    `file:"of"`      // "plan" or "work"
	Verdict  string    `file:"verdict"` // one of the Verdict constants
	By       Actor     `file:"by"`
	At       time.Time `file:"at"`
	Reason   string    `file:"reason"`
	Revision int       `file:"revision"` // the plan revision that was judged
	// The file under approvals/ of accepted work, and its hash; an older vespe wrote neither.
	Approval     string `file:"approval"`
	ApprovalHash string `file:"approval_hash"`
	// Who read the verdict first of those that it is for, and when (FetchVerdict); nobody yet
	// when empty.
	FetchedBy Actor     `file:"fetched_by"`
	FetchedAt time.Time `file:"fetched_at"`
	Extra     Extra
}

// Undo holds what taking back a verdict needs: the transition, and every task that the
// verdict changed with its status file before. It is consumed when any of those tasks
// has moved past Revision.
type Undo struct {
	Transition Name          `file:"transition"`
	By         Actor         `file:"by"`
	At         time.Time     `file:"at"`
	Tasks      []UndoTask    `file:"tasks,always"`
	Requests   []UndoRequest `file:"requests"` // that the verdict superseded
}

// UndoRequest is a request that a verdict superseded, with its state before.
type UndoRequest struct {
	ID    string `file:"id,always"`
	State string `file:"state,always"`
}

// UndoTask is one task that a verdict changed.
type UndoTask struct {
	UID      UID    `file:"uid"`
	Revision int    `file:"revision,always"`         // of status.json just after the verdict
	Before   []byte `file:"before,as=status-before"` // status.json just before it, canonical JSON, without `undo`
}

// Spec is spec.json: everything else about the work.
type Spec struct {
	Description         string       `file:"description,head"`
	UserStory           string       `file:"user_story"`
	GoalType            string       `file:"goal_type,head"`
	Constraints         []string     `file:"constraints"`
	AcceptanceCriteria  []Criterion  `file:"acceptance_criteria"`
	Steps               []Step       `file:"steps"`
	Priority            Priority     `file:"priority,head"`
	PriorityBy          *PriorityBy  `file:"priority_by"` // which rule set Priority; nil: somebody gave it
	Source              string       `file:"source"`
	Context             []ExtraField `file:"context"` // an object of any values, in file order
	Requester           string       `file:"requester"`
	Risk                string       `file:"risk,as=risk"` // low, medium, high or ""
	RequiresHITL        bool         `file:"requires_hitl"`
	FilesToCreate       []string     `file:"files_to_create"`
	FilesToModify       []string     `file:"files_to_modify"`
	TestFiles           []string     `file:"test_files"`
	Verify              [][]string   `file:"verify"` // argv lists
	MilestoneID         string       `file:"milestone_id,head"`
	EstimatedComplexity float64      `file:"estimated_complexity"` // 0 when not estimated
	MaxAttempts         int          `file:"max_attempts"`         // 0: the store's policy
	Labels              []string     `file:"labels,head"`
	External            []ExtraField `file:"external"` // ids in other systems
	Intent              string       `file:"intent"`
	Extra               Extra
}

// PriorityBy says which rule set a priority. It holds only while the priority is the one that
// the rule set: another was given by somebody since.
type PriorityBy struct {
	Priority Priority `file:"priority,always"`
	Rule     string   `file:"rule,always"` // for people: "patterns[1] invoice", "score 0.91", "default"
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
	Text     string `file:"text,always,short"`
	State    string `file:"state"`
	Evidence string `file:"evidence"`
	Extra    Extra
}

// Step is one line of spec.steps.
type Step struct {
	Step  string `file:"step,always,lone"`
	Done  bool   `file:"done,always"`
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
	Name             string `file:"name"`
	Description      string `file:"description"`
	DependencyPolicy string `file:"dependency_policy,always,as=dependency-policy"`   // "completed" (default) or "completed_or_aborted"
	OnSubtaskFailure string `file:"on_subtask_failure,always,as=on-subtask-failure"` // "fail" (default) or "hold"
	MaxAttempts      int    `file:"max_attempts,always,as=attempts"`                 // default 3
	Extra            Extra  // every other key, kept
	// Unread says why the file cannot be read, or which rule of it is misspelled; "" for neither. Then the
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

// MaxName bounds a task's name, in runes.
const MaxName = 200

// Clone is a deep copy: nothing of it is shared with t but immutable strings.
func (t *Task) Clone() *Task {
	if t == nil {
		return nil
	}
	c := *t
	c.Config.Extra = t.Config.Extra.Clone()
	c.Status = t.Status.Clone()
	c.DependsOn = slices.Clone(t.DependsOn)
	c.DepsExtra = t.DepsExtra.Clone()
	c.Spec = t.Spec.Clone()
	c.Problems = slices.Clone(t.Problems)
	return &c
}

// Clone is a deep copy; nil of nil.
func (s *Spec) Clone() *Spec { return cloned(specFormat(), s) }

// Clone is a deep copy; nil of nil.
func (e Extra) Clone() Extra {
	if e == nil {
		return nil
	}
	c := make(Extra, len(e))
	for i, f := range e {
		c[i] = ExtraField{Key: f.Key, Value: bytes.Clone(f.Value)}
	}
	return c
}
