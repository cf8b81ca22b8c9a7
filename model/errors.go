package model

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrNoContent is returned by a World that has no bytes for what was asked.
var ErrNoContent = errors.New("no content")

// ErrUnread is returned by a World whose file of what was asked cannot be read by anybody like
// us: it is too large, or may not be read. That is no passing trouble of a disk.
var ErrUnread = errors.New("it is not read")

// Code is the stable word of an error, the same in the CLI's JSON and in exit codes
// (DESIGN §11).
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
	subject := r.Subject()
	if r.Op == CreateTask && r.Task == "" {
		return fmt.Sprintf("%s refused: %s", r.Op, r.Why) // its uid was never anybody's
	}
	return fmt.Sprintf("%s refused for %q: %s", r.Op, subject, r.Why)
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
