package desk

import (
	"context"
	"errors"
	"strings"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// Code is the stable word of an Error.
type Code string

// The codes of errors.
const (
	CodeStale      Code = "E_STALE"       // it was changed since the agent read it
	CodeKey        Code = "E_KEY"         // the idempotency key was used for something else
	CodeNotFound   Code = "E_NOT_FOUND"   // there is no such task, review or comment
	CodeAmbiguous  Code = "E_AMBIGUOUS"   // several tasks are meant
	CodeRefused    Code = "E_REFUSED"     // a condition of the lifecycle is not met
	CodeInvalid    Code = "E_INVALID"     // what was given makes no sense
	CodeTooLarge   Code = "E_TOO_LARGE"   // it is larger than is kept
	CodeDenied     Code = "E_DENIED"      // only a person may do it
	CodeBusy       Code = "E_BUSY"        // somebody else is writing
	CodeNotDurable Code = "E_NOT_DURABLE" // done, but the disk did not confirm it
	CodeCanceled   Code = "E_CANCELLED"   // the caller gave up; what was recorded stays
	CodeFailed     Code = "E_FAILED"      // a disk, a permission, a damaged store
)

// Error is every error of a Desk.
type Error struct {
	Code    Code
	Message string // what is so, in sentences
	Next    string // what to do next, an order
	err     error
}

// Error is code, message and order in one text.
func (e *Error) Error() string {
	out := string(e.Code) + ": " + e.Message
	if e.Next != "" {
		out += "\nNext: " + e.Next
	}
	return out
}

// Unwrap is what caused it; often a *model.Refusal.
func (e *Error) Unwrap() error { return e.err }

func problem(code Code, message, next string) *Error {
	return &Error{Code: code, Message: message, Next: next}
}

// orders are what to do next where the refusal's own hint is not all.
var orders = map[Code]string{
	CodeKey:        "Use another key for another call.",
	CodeRefused:    "Do other work: call task_next.",
	CodeInvalid:    "Fix the call and send it again.",
	CodeStale:      "Read the task again with task_get, take what changed into account, and send it again with the revision that you read.",
	CodeNotFound:   "Look the id up with task_list or search. Do not guess one.",
	CodeAmbiguous:  "Repeat the call with the whole uid.",
	CodeDenied:     "Do not try another way. Ask a person with ask_human, or continue with other work.",
	CodeBusy:       "Repeat the same call, with the same key, in a few seconds.",
	CodeNotDurable: "Repeat the same call with the same key: it is not done twice.",
	CodeCanceled:   "The earlier record stays. Repeat the same call with the same key to find it.",
	CodeFailed:     "Repeat the call once. If it fails again, tell the person what it says and stop.",
}

// guardOrders are what to do next where a guard's hint is for people at a terminal.
var guardOrders = map[model.Guard]string{
	model.GuardAnswers:      "Send it again with responses: for each of these comments its feedback_id, a resolution (addressed, declined or answered) and, unless it is addressed, text. task_get with include feedback lists them.",
	model.GuardComment:      "Read the comments with task_get, include feedback, and answer those that are open, each once.",
	model.GuardNotFinal:     "Do not work on it. Ask for other work with task_next.",
	model.GuardAccepted:     "Do not start. A person has to accept its plan first: submit one with plan_submit, or wait for the pending review.",
	model.GuardConsent:      "Do not start. A person was asked whether it may start: wait for that.",
	model.GuardDependencies: "Do not start it. Ask for other work with task_next.",
	model.GuardNotPaused:    "Do not work on it while it is paused. Wait for the answer to what was asked about it, or ask for other work with task_next.",
	model.GuardNoRun:        "Leave it alone: it is being worked on. Ask for other work with task_next.",
	model.GuardApproval:     "Do not start. A person must decide again: end your turn and say so.",
	model.GuardNotChanged:   "Do not start. A person must decide again: end your turn and say so.",
	model.GuardSubtasks:     "Finish its subtasks first, or wait until they are done.",
	model.GuardUnanswered:   "Use another key for another question. Do not act on the answer to that one.",
	model.GuardActor:        "Do not try another way. Ask a person with ask_human, or continue with other work.",
}

// told is an error as an agent is told it. nil stays nil.
func told(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Code: CodeCanceled, Message: "the call was canceled", Next: orders[CodeCanceled], err: err}
	}
	var no *model.Refusal
	if !errors.As(err, &no) {
		return &Error{Code: CodeFailed, Message: visible.String(err.Error()), Next: orders[CodeFailed], err: err}
	}
	e = &Error{Code: codeOf(no), Message: sentence(no), err: err}
	var f *store.Failure
	if errors.As(err, &f) && f.Err != nil {
		e.Message += ": " + visible.String(f.Err.Error())
	}
	if e.Next = guardOrders[no.Guard]; e.Next != "" && e.Code != CodeStale {
		return e
	}
	hint := visible.String(strings.TrimSpace(no.Hint))
	switch order := orders[e.Code]; {
	case hint == "" || e.Code == CodeStale:
		e.Next = order
	case e.Code == CodeInvalid, e.Code == CodeRefused:
		e.Next = upper(hint)
	default:
		e.Next = upper(hint) + ". " + order
	}
	return e
}

func codeOf(no *model.Refusal) Code {
	switch no.Code {
	case model.CodeNotFound:
		return CodeNotFound
	case model.CodeAmbiguous:
		return CodeAmbiguous
	case model.CodeConflict:
		switch no.Guard {
		case "lock", "unchanged":
			return CodeBusy
		case model.GuardUnanswered, "op_id":
			return CodeKey
		}
		return CodeStale
	case model.CodeDenied:
		return CodeDenied
	case model.CodeNotDurable:
		return CodeNotDurable
	case model.CodeInvalid, model.CodeUsage:
		return CodeInvalid
	}
	return CodeRefused
}

// sentence is a refusal in one.
func sentence(no *model.Refusal) string {
	why := visible.String(strings.TrimSpace(no.Why))
	if no.Subject() == "" {
		return why
	}
	return visible.Line(no.Attempt()) + ": " + why
}

func upper(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
