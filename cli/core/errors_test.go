package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
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
		{Usagef("no"), 64},
		{fmt.Errorf("around: %w", refusal(model.CodeDenied)), 6},
		{errors.Join(errors.New("x"), Usagef("no")), 64},
		{context.Canceled, 1},
		{fs.ErrPermission, 1},
		{&Shown{Code: 5}, 5},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%v: exit code %d, want %d", tt.err, got, tt.want)
		}
		if got := ExitCode(tt.err); got == 2 {
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
		{"refusal about a task", about, `can't start "T": it is late`, "come earlier"},
		{"reference", &model.Refusal{Op: "find", Task: "x", Why: "no task"}, `"x": no task`, ""},
		{"store", &store.Failure{Refusal: refusal}, "it is late", "come earlier"},
		{"store and system", &store.Failure{Refusal: refusal, Err: errors.New("EIO")}, "it is late: EIO", "come earlier"},
		{"wrapped: the hint is said once", fmt.Errorf("demo: %w", &store.Failure{Refusal: refusal}), "demo: it is late (come earlier)", ""},
		{"interrupted", fmt.Errorf("load: %w", context.Canceled), "interrupted; nothing was changed", ""},
		{
			"interrupted while it waited", fmt.Errorf("demo: %w", &store.Failure{Refusal: &model.Refusal{Hint: "try again; nothing was changed"}, Err: context.Canceled}),
			"interrupted; nothing was changed", "",
		},
		{"plain", errors.New("disk full"), "disk full", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			obj := ErrorOf(tt.err)
			if obj.Message != tt.message || obj.Hint != tt.hint {
				t.Errorf("%q, hint %q; want %q, %q", obj.Message, obj.Hint, tt.message, tt.hint)
			}
		})
	}
}

// Whatever a message quotes, and from wherever it comes, it is shown and not obeyed.
func TestMessagesShowHiddenText(t *testing.T) {
	const nasty = "owned \x1b[8m\x1b]0;t\a\u202eb\u200b \x9b\xff"
	problem := model.Problem{Path: nasty, Line: 3, Code: nasty, Reason: nasty, Hint: nasty}
	for name, print := range map[string]func(*App) error{
		"problems": func(a *App) error { a.PrintProblems([]model.Problem{problem}); return nil },
		"warnings": func(a *App) error { a.PrintWarnings([]string{nasty}); return nil },
		"outcome": func(a *App) error {
			return a.Report(snapshot.Applied{Snapshot: snapshot.New(snapshot.Input{}), Change: &model.Change{Summary: nasty}}, "")
		},
		"repeated outcome": func(a *App) error {
			return a.Report(snapshot.Applied{Replayed: true, Snapshot: snapshot.New(snapshot.Input{}), Change: &model.Change{Summary: nasty}}, "")
		},
		"error": func(a *App) error { a.PrintError(errors.New(nasty)); return nil },
		"refusal": func(a *App) error {
			a.PrintError(&model.Refusal{Why: nasty, Hint: nasty + " again", Changed: []model.ContentDiff{{Doc: model.Doc(nasty), Seen: nasty}}})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := NewApp(Deps{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
			if err := print(a); err != nil {
				t.Fatal(err)
			}
			if err := a.Out.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); visible.Has(got) || !strings.Contains(got, "owned") {
				t.Errorf("%q", got)
			}
		})
	}
}
