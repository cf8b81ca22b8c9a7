package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// The exit codes: docs/cli.md lists them.
const (
	ExitOK       = 0
	ExitFailed   = 1
	ExitNotFound = 3
	ExitConflict = 4
	ExitPending  = 5
	ExitDenied   = 6
	ExitUnsure   = 7
	ExitUsage    = 64
)

// usageError is a call that makes no sense: exit code 64.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// Shown is an error whose answer has been printed already; only its exit code is left.
type Shown struct{ Code int }

func (e *Shown) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	var s *Shown
	if errors.As(err, &s) {
		return s.Code
	}
	switch CodeOf(err) {
	case model.CodeUsage:
		return ExitUsage
	case model.CodeNotFound, model.CodeAmbiguous:
		return ExitNotFound
	case model.CodeConflict:
		return ExitConflict
	case model.CodePending:
		return ExitPending
	case model.CodeDenied:
		return ExitDenied
	case model.CodeNotDurable:
		return ExitUnsure
	}
	return ExitFailed
}

// failed is the code of an error that is none of the model's: a disk, a permission.
const failed model.Code = "failed"

func CodeOf(err error) model.Code {
	var u *usageError
	if errors.As(err, &u) {
		return model.CodeUsage
	}
	var r *model.Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return failed
}

// interrupted says all that there is to say of what ctrl+c ended.
const interrupted = "interrupted; nothing was changed"

// Explain is what an error says to people, without the hint that comes after it.
func Explain(err error) string {
	switch e := err.(type) { //nolint:errorlint // only these themselves: what is wrapped has a context that counts
	case *store.Failure:
		if e.Err == nil {
			return e.Refusal.Why
		}
		return e.Refusal.Why + ": " + e.Err.Error()
	case *model.Refusal:
		if e.Subject() == "" {
			return e.Why
		}
	}
	if errors.Is(err, context.Canceled) {
		return interrupted
	}
	return err.Error()
}

// ErrorOf is the JSON object of an error.
func ErrorOf(err error) ErrorObject {
	obj := ErrorObject{Code: string(CodeOf(err)), Message: strings.TrimRight(Explain(err), "\n")}
	var r *model.Refusal
	if !errors.As(err, &r) {
		return obj
	}
	obj.Guard, obj.UID = string(r.Guard), string(r.UID)
	if obj.Message != interrupted && !strings.Contains(obj.Message, r.Hint) {
		obj.Hint = r.Hint
	}
	if errors.Is(err, syscall.EROFS) {
		obj.Hint = "nothing was changed: a sandbox blocks writes into .vespe; use the tools of the MCP server vespe instead"
	}
	for _, uid := range r.Cycle {
		obj.Cycle = append(obj.Cycle, string(uid))
	}
	for _, c := range r.Changed {
		obj.Changed = append(obj.Changed, changedObject{Doc: nameOf(c), Seen: c.Seen, Now: c.Now.Hash})
	}
	return obj
}

// nameOf is a document, or the file.
func nameOf(c model.ContentDiff) string {
	if c.Doc != "" {
		return string(c.Doc)
	}
	return c.File
}

// PrintError says what went wrong: the guard's own words and the hint.
func (a *App) PrintError(err error) {
	var s *Shown
	if errors.As(err, &s) {
		return
	}
	obj := ErrorOf(err)
	if a.JSON || CodeOf(err) == model.CodeUsage && asksForJSON(a.Args) {
		// A failing write is seen when the buffer is written out.
		_ = a.PrintMember("error", obj)
		return
	}
	w := a.Prose(a.Stderr, 0)
	fmt.Fprintln(w, "vespe: "+visible.String(obj.Message))
	for _, c := range obj.Changed {
		fmt.Fprintf(w, "  %s: you saw %s, now it is %s\n", visible.Line(c.Doc), ShortHash(c.Seen), ShortHash(c.Now))
	}
	if obj.Hint != "" {
		fmt.Fprintln(w, "  "+visible.String(obj.Hint))
	}
}

// asksForJSON looks for --json where parsing may have stopped before it.
func asksForJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

func ShortHash(h string) string {
	h = visible.Line(strings.TrimPrefix(h, "sha256-"))
	if h == "" {
		return "nothing"
	}
	return h[:min(12, len(h))]
}
