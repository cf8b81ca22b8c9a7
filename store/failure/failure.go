// Package failure has the errors of a store: an Error of an operation, and what is wrong with a file.
package failure

import (
	"errors"
	"fmt"

	"vespe/model"
	"vespe/store/sections"
)

// Error is an error of the store itself: a Refusal, whose code says what the caller may
// rely on, and the cause below it. errors.As finds both *model.Refusal and the cause.
//
//   - CodeNotDurable: committed, but the disk did not confirm it (guard durable), or a task's
//     directory can't be written (guard writable): then the log has it, durably, and its
//     files follow. Repeating the operation with the same ID is safe.
//   - every other code: nothing happened.
type Error struct {
	Refusal *model.Refusal
	Err     error // what the operating system said; may be nil
}

func (f *Error) Error() string {
	s := f.Refusal.Why
	if f.Err != nil {
		s += ": " + f.Err.Error()
	}
	if f.Refusal.Hint != "" {
		s += " (" + f.Refusal.Hint + ")"
	}
	return s
}

// Unwrap lists the refusal and the cause.
func (f *Error) Unwrap() []error {
	if f.Err == nil {
		return []error{f.Refusal}
	}
	return []error{f.Refusal, f.Err}
}

// Guards of the store, beside those of the lifecycle.
const (
	GuardStore    model.Guard = "store"     // the store can be opened
	GuardTrust    model.Guard = "trust"     // a person trusts the store
	GuardWritable model.Guard = "writable"  // the store can be written
	GuardLock     model.Guard = "lock"      // nobody else is writing
	GuardDurable  model.Guard = "durable"   // the disk confirmed the commit
	GuardOpID     model.Guard = "op_id"     // an operation's id names one operation
	GuardFiles    model.Guard = "files"     // what is written was not there in another form
	GuardUnmoved  model.Guard = "unchanged" // the files are still what the operation was computed from
)

// New makes an Error. op and err may be nil.
func New(code model.Code, g model.Guard, op *model.Op, err error, hint, why string, args ...any) *Error {
	r := &model.Refusal{Code: code, Guard: g, Why: fmt.Sprintf(why, args...), Hint: hint}
	if op != nil {
		r.Op, r.UID = op.Name, op.UID
	}
	return &Error{r, err}
}

// HintFor is what to do about a part of the log that can't be read.
func HintFor(err error, otherwise string) string {
	var newer *sections.NewerError
	if errors.As(err, &newer) {
		return "update vespe"
	}
	return otherwise
}

// OfTask is an error for which a task's files are the cause.
type OfTask struct {
	UID model.UID
	Err error
}

// Error is that of the cause.
func (e *OfTask) Error() string { return e.Err.Error() }

// Unwrap is the cause.
func (e *OfTask) Unwrap() error { return e.Err }

// About says which task's files an error is for.
func About(uid model.UID, err error) error {
	var known *OfTask
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &OfTask{uid, err}
}
