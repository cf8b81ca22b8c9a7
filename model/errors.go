package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNoContent is returned by a World that has no bytes for what was asked.
var ErrNoContent = errors.New("no content")

// ErrUnread is returned by a World whose file of what was asked cannot be read by anybody like
// us: it is too large, or may not be read. That is no passing trouble of a disk.
var ErrUnread = errors.New("it is not read")

// Code is the stable word of an error, the same in the CLI's JSON and in exit codes.
type Code string

// The codes and their exit codes: refused 1, not_found 3, ambiguous 3, conflict 4,
// pending 5, denied 6, not_durable 7, usage 64. Everything else exits 1.
const (
	CodeRefused    Code = "refused"
	CodeNotFound   Code = "not_found"
	CodeAmbiguous  Code = "ambiguous"
	CodeConflict   Code = "conflict"
	CodeDenied     Code = "denied"
	CodeNotDurable Code = "not_durable"
	CodeUsage      Code = "usage"
	CodeInvalid    Code = "invalid"
	CodePending    Code = "pending" // a person was asked and has not answered
)

// Refusal says that an operation was not done: which guard failed and what would
// satisfy it. It is the only error that Apply returns.
type Refusal struct {
	Code  Code
	Op    Name
	UID   UID
	Task  string // its name, for people
	Guard Guard
	Why   string // what is so
	Hint  string // what would satisfy the guard
	// Changed is set when bytes differ from those that were seen or approved.
	Changed []ContentDiff
	// Cycle spells out a dependency or parent cycle, first = last.
	Cycle []UID
}

// ContentDiff is one file that is not what it was.
type ContentDiff struct {
	Doc  Doc    // "" when it is no document
	File string // "plan.md", "spec.json", "<uid>/result": see Bound
	Seen string // hash
	Was  []byte // what was approved, where that is known
	Now  Content
}

func (r *Refusal) Error() string {
	if what := r.Attempt(); what != "" {
		return what + ": " + r.Why
	}
	return r.Why
}

// Attempt is what was refused, as a person would say it: `can't accept the plan of "Parser"`. Where nothing was to be
// done it is the subject, and "" where there is none.
func (r *Refusal) Attempt() string {
	subject := r.Subject()
	if r.Op == CreateTask {
		subject = r.Task // its uid was never anybody's
	}
	if subject != "" {
		subject = strconv.Quote(subject)
	}
	if r.Op == "" || r.Op == "find" || r.Op == "filter" {
		return subject
	}
	return strings.TrimSpace("can't " + r.Op.words(subject != "") + " " + subject)
}

// Needs says what a transition starts from as a person sees it: by what a task shows, not
// by the state that its file names.
func (n Name) Needs() string {
	switch n {
	case DefineObjective:
		return "a task without a plan"
	case DefinePlan:
		return "an objective, and no work under way"
	case AcceptPlan, RejectPlan:
		return "a plan under review"
	case Start:
		return "an accepted plan"
	case WorkCompleted, SpawnSubtask:
		return "work under way"
	case ReviewAccepted, ReviewRejected:
		return "finished work under review"
	case Retry:
		return "an error"
	case Reopen, Skip:
		return "a task that has failed"
	case StopRun:
		return "work under way"
	case Replan:
		return "a plan or work to send back"
	}
	return "a task that has not ended"
}

// WrongStatus says that a task is not what a transition starts from.
func (n Name) WrongStatus(status string) string {
	return fmt.Sprintf("its status is %s, and this needs %s", status, n.Needs())
}

// words are a name as the verb of a sentence, before an object if there is one: "accept the plan of".
func (n Name) words(object bool) string {
	words := strings.Split(string(n), "_")
	if phrase := n.Phrase(); phrase != "" {
		words = strings.Fields(phrase)
	}
	if last := len(words) - 1; !object && slices.Contains([]string{"of", "on", "in", "to", "for", "about"}, words[last]) {
		words = words[:last]
	}
	return strings.Join(words, " ")
}

// Subject is the task that was refused something, by its name or else its uid, cut short where
// it is longer than anyone reads.
func (r *Refusal) Subject() string {
	subject := r.Task
	if subject == "" {
		subject = string(r.UID)
	}
	const longest = 100 // characters
	if n := utf8.RuneCountInString(subject); n > longest {
		subject = string([]rune(subject)[:longest]) + "…"
	}
	return subject
}

// Guard names a condition of the transition table.
type Guard string

// The guards that every row may name.
const (
	GuardOperation Guard = "operation" // the operation is one of ours
	GuardExists    Guard = "exists"    // the task is in the store
	GuardReadable  Guard = "readable"  // its files could be read
	GuardActor     Guard = "actor"     // this kind of actor may do it
	GuardRevision  Guard = "revision"  // status.json is still the one that was seen
	GuardNotFinal  Guard = "not_final" // failed, aborted, or completed and reviewed
	GuardState     Guard = "state"     // the state is one that the row starts from
)

// The guards of single rows.
const (
	GuardText         Guard = "text"             // a text that is not blank
	GuardTextNew      Guard = "text_new"         // a text that differs from today's
	GuardReason       Guard = "reason"           // a reason that is not blank
	GuardPlan         Guard = "plan"             // there is a plan
	GuardSeen         Guard = "seen"             // what was on screen is what is there
	GuardUndecided    Guard = "undecided"        // not accepted already
	GuardAccepted     Guard = "accepted"         // a person accepted the plan
	GuardApproval     Guard = "approval_holds"   // today's bytes are those that were accepted
	GuardDependencies Guard = "dependencies_met" // every dependency has completed
	GuardNotPaused    Guard = "not_paused"       //
	GuardPaused       Guard = "paused"           //
	GuardNotChanged   Guard = "not_changed"      // nothing it was accepted with has changed
	GuardChanged      Guard = "changed"          // something has
	GuardNoRun        Guard = "no_live_run"      //
	GuardRun          Guard = "live_run"         // somebody works on it
	GuardOwnRun       Guard = "own_run"          // an agent reports only the run it works on
	GuardRunName      Guard = "run"              // the run's id can name a directory
	GuardSubtasks     Guard = "no_open_subtask"  // every child has ended
	GuardPhase        Guard = "phase"            // the parent's own transition is allowed too
	GuardSubtask      Guard = "subtask"          // the subtask is an open child that is not waited for yet
	GuardAwaits       Guard = "awaits"           // the parent waits for the subtask
	GuardSettled      Guard = "settled"          // no document has both sides of a merge in it
	GuardEdited       Guard = "edited"           // what was edited is a file of the task
	GuardUndo         Guard = "undo"             // there is a verdict that nothing has consumed
	GuardName         Guard = "name"             // a name that can be shown on one line
	GuardUID          Guard = "uid_free"         // a valid uid that no task has
	GuardParent       Guard = "parent"           // the parent exists and is not final
	GuardDependency   Guard = "dependency"       // the dependency is another task of this store
	GuardEdge         Guard = "edge"             // the edge is not there yet, or is there
	GuardAcyclic      Guard = "acyclic"          // the edge closes no cycle
	GuardKey          Guard = "key"              // a key of spec.json
	GuardValue        Guard = "value"            // a value that the key can have
	GuardOwnPause     Guard = "own_pause"        // an agent resumes what it paused itself
	GuardSafer        Guard = "safer"            // an agent makes nothing less strict than it is
	GuardLevel        Guard = "level"            // the approval is signed as well as its risk asks for
	GuardRequest      Guard = "request"          // a request that can be filed, or one that is there
	GuardUnanswered   Guard = "unanswered"       // nobody has decided on the request
	GuardDecision     Guard = "decision"         // a decision that the request allows, with what it needs
	GuardConsent      Guard = "consent"          // a person allowed the start of this plan
	GuardExcluded     Guard = "excluded"         // what is left out is there to be left out
	GuardVerdict      Guard = "verdict"          // somebody has decided
	GuardComment      Guard = "comment"          // a comment that says something, and is there
	GuardPlace        Guard = "place"            // lines that the document has
	GuardAnswers      Guard = "answers"          // every open comment is answered
	GuardUnblocked    Guard = "unblocked"        // no comment keeps the plan from being accepted
	GuardMilestone    Guard = "milestone"        // a milestone that is there, or an id that none has
	GuardImport       Guard = "import"           // an import carries no approval and no open work
	GuardDecompose    Guard = "decompose"        // tasks of an accepted plan that are not there yet, or parts that hold all of the work
)
