package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/store"
)

func TestExitCodes(t *testing.T) {
	refusal := func(c model.Code) error { return &model.Refusal{Code: c, Why: "so"} }
	failure := func(c model.Code) error { return &store.Failure{Refusal: &model.Refusal{Code: c}, Err: syscall.EIO} }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{refusal(model.CodeRefused), 1},
		{refusal(model.CodeInvalid), 1},
		{refusal(model.CodeNotFound), 3},
		{refusal(model.CodeAmbiguous), 3},
		{refusal(model.CodeConflict), 4},
		{refusal(model.CodeDenied), 6},
		{refusal(model.CodeNotDurable), 7},
		{refusal(model.CodeUsage), 64},
		{failure(model.CodeRefused), 1},
		{failure(model.CodeConflict), 4},
		{failure(model.CodeNotDurable), 7},
		{failure(model.CodeNotFound), 3},
		{usagef("no"), 64},
		{fmt.Errorf("around: %w", refusal(model.CodeDenied)), 6},
		{errors.Join(errors.New("x"), usagef("no")), 64},
		{context.Canceled, 1},
		{fs.ErrPermission, 1},
		{&shown{5}, 5},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
		if got := exitCode(tt.err); got == 2 {
			t.Errorf("%v: 2 belongs to the shell", tt.err)
		}
	}
}

func TestExplain(t *testing.T) {
	refusal := &model.Refusal{Code: model.CodeRefused, Why: "it is late", Hint: "come earlier"}
	about := &model.Refusal{Code: model.CodeRefused, Op: model.Start, UID: "tsk-1", Task: "T", Why: "it is late", Hint: "come earlier"}
	for _, tt := range []struct {
		name          string
		err           error
		message, hint string
	}{
		{"refusal about nothing", refusal, "it is late", "come earlier"},
		{"refusal about a task", about, `start refused for "T": it is late`, "come earlier"},
		{"reference", &model.Refusal{Op: "find", Task: "x", Why: "no task"}, `"x": no task`, ""},
		{"store", &store.Failure{Refusal: refusal}, "it is late", "come earlier"},
		{"store and system", &store.Failure{Refusal: refusal, Err: errors.New("EIO")}, "it is late: EIO", "come earlier"},
		{"wrapped: the hint is said once", fmt.Errorf("demo: %w", &store.Failure{Refusal: refusal}), "demo: it is late (come earlier)", ""},
		{"interrupted", fmt.Errorf("load: %w", context.Canceled), "interrupted; nothing was changed", ""},
		{"plain", errors.New("disk full"), "disk full", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			obj := errorOf(tt.err)
			if obj.Message != tt.message || obj.Hint != tt.hint {
				t.Errorf("%q, hint %q; want %q, %q", obj.Message, obj.Hint, tt.message, tt.hint)
			}
		})
	}
}

// What a message quotes from a file is shown, not obeyed.
func TestErrorsShowHiddenText(t *testing.T) {
	c := fresh(t)
	for _, ref := range []string{"\x1b[2Jboo", "a\u202eb"} {
		code, out, errs := c.run("show", ref)
		if code != exitNotFound || strings.ContainsAny(out+errs, "\x1b\u202e") {
			t.Errorf("show %q: %d %q %q", ref, code, out, errs)
		}
		_, out, _ = c.run("--json", "show", ref)
		if strings.ContainsAny(out, "\x1b\u202e") {
			t.Errorf("show --json %q: %q", ref, out)
		}
	}
}

// badWriter fails as a full disk or a closed pipe does.
type badWriter struct{ err error }

func (w badWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	c := fresh(t)
	c.must("new", "A")
	c.out = badWriter{syscall.EPIPE}
	for _, args := range [][]string{{"ls"}, {"tree"}, {"--json", "ls"}, {"show", "A"}, {"doctor"}, {"--help"}, {"version"}} {
		if code, _, errs := c.run(args...); code != exitOK || errs != "" {
			t.Errorf("%v into a closed pipe: exit code %d, %q", args, code, errs)
		}
	}
	if code, _, _ := c.run("--json", "show", "nothing"); code != exitNotFound {
		t.Errorf("an error into a closed pipe: exit code %d", code)
	}
	c.out = badWriter{syscall.ENOSPC}
	for _, args := range [][]string{{"ls"}, {"--json", "tree"}, {"version"}} {
		code, _, errs := c.run(args...)
		if code != exitFailed || !strings.Contains(errs, "could not be written") || !strings.Contains(errs, "no space") {
			t.Errorf("%v onto a full disk: exit code %d, %q", args, code, errs)
		}
	}
}
