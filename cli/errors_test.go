package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/interop/records"
	"vespe/model"
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

// Whatever a message quotes, and from wherever it comes, it is shown and not obeyed.
func TestMessagesShowHiddenText(t *testing.T) {
	const nasty = "owned \x1b[8m\x1b]0;t\a\u202eb\u200b \x9b\xff"
	problem := model.Problem{Path: nasty, Line: 3, Code: nasty, Reason: nasty, Hint: nasty}
	for name, print := range map[string]func(*app) error{
		"problems": func(a *app) error { a.printProblems([]model.Problem{problem}); return nil },
		"warnings": func(a *app) error { a.printWarnings([]string{nasty}); return nil },
		"import": func(a *app) error {
			return a.printImport(records.Report{NotCarried: []string{nasty}, Problems: []model.Problem{problem}}, false)
		},
		"outcome": func(a *app) error {
			return a.report(model.Applied{Snapshot: model.NewSnapshot(model.Input{}), Change: &model.Change{Summary: nasty}}, "")
		},
		"repeated outcome": func(a *app) error {
			return a.report(model.Applied{Replayed: true, Snapshot: model.NewSnapshot(model.Input{}), Change: &model.Change{Summary: nasty}}, "")
		},
		"error": func(a *app) error { a.printError(errors.New(nasty)); return nil },
		"refusal": func(a *app) error {
			a.printError(&model.Refusal{Why: nasty, Hint: nasty + " again", Changed: []model.ContentDiff{{Doc: model.Doc(nasty), Seen: nasty}}})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			a := newApp(Deps{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }})
			if err := print(a); err != nil {
				t.Fatal(err)
			}
			if err := a.out.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); visible.Has(got) || !strings.Contains(got, "owned") {
				t.Errorf("%q", got)
			}
		})
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

// What was done stays done when the answer cannot be written: it is not said to have failed.
func TestAnAnswerThatIsLostAfterTheDeed(t *testing.T) {
	c := fresh(t)
	c.stdin = `{"id":"bd-1","title":"Imported","status":"open","priority":2,"issue_type":"task","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}`
	for _, args := range [][]string{
		{"new", "A", "--op-id", "one"}, {"new", "B", "--json"}, {"rename", "A", "C", "--op-id", "two"}, {"set", "C", "risk=low", "--json"}, {"import", "beads", "-"},
	} {
		c.out = badWriter{syscall.ENOSPC}
		code, _, errs := c.run(args...)
		if code != exitUnsure || !strings.Contains(errs, "could not be written") || !strings.Contains(errs, "is done") {
			t.Errorf("%v onto a full disk: exit code %d, %q", args, code, errs)
		}
		if c.out = nil; slices.Contains(args, "--op-id") {
			if code, out, errs := c.run(args...); code != exitOK || out == "" {
				t.Errorf("%v once more: exit code %d, %q", args, code, errs)
			}
		}
	}
	if out := c.must("ls"); strings.Count(out, "\n") != 3 {
		t.Errorf("the tasks are\n%s", out)
	}
}

// A person is called what git calls them, where that can be a name; the environment comes after it.
func TestAPersonIsCalledWhatGitCallsThem(t *testing.T) {
	for git, want := range map[string]model.Actor{"Ann Lee": "human:Ann Lee", "": "human:bob", "a\u202eb": "human:bob", strings.Repeat("x", 200): "human:bob"} {
		asked := 0
		a := newApp(Deps{Getenv: func(k string) string { return map[string]string{"USER": "bob"}[k] }, GitName: func() string { asked++; return git }})
		for range 2 {
			if got, err := a.actor(); err != nil || got != want {
				t.Errorf("git says %q: %q, %v; want %q", git, got, err, want)
			}
		}
		if asked != 1 {
			t.Errorf("git is asked %d times", asked)
		}
	}
	a := newApp(Deps{Getenv: func(k string) string { return map[string]string{"CLAUDECODE": "1"}[k] }, GitName: func() string { t.Error("git is asked"); return "x" }})
	if got, err := a.actor(); err != nil || got != "agent:claude-code" {
		t.Errorf("an agent is %q, %v", got, err)
	}
}

// A person whom no variable names is called by the account.
func TestActorFallsBackToTheAccount(t *testing.T) {
	env := map[string]string{}
	d := Deps{Getenv: func(k string) string { return env[k] }, Account: func() string { return "ann" }}
	for _, tt := range []struct {
		name, value string
		want        model.Actor
	}{
		{"HOME", "/home/x", "human:ann"},
		{"USER", "bob", "human:bob"},
		{"CLAUDECODE", "1", "agent:claude-code"},
		{"VESPE_ACTOR", "agent:z", "agent:z"},
	} {
		env[tt.name] = tt.value
		if got, err := newApp(d).actor(); err != nil || got != tt.want {
			t.Errorf("with %s=%s: %s, %v; want %s", tt.name, tt.value, got, err, tt.want)
		}
	}
	if got, err := newApp(Deps{Getenv: func(string) string { return "" }, Account: func() string { return "" }}).actor(); err != nil || got != "human:someone" {
		t.Errorf("nobody: %s, %v", got, err)
	}
}

// What is suggested for a word that is no verb is near to it, and little.
func TestMistypedVerbs(t *testing.T) {
	c := fresh(t)
	for word, want := range map[string]string{
		"foo":       "see `vespe --help`",
		"lst":       "did you mean ls?",
		"serch":     "did you mean search?",
		"mileston":  "did you mean milestone?",
		"hist":      "did you mean history?",
		"breakdown": "did you mean decompose?",
	} {
		if code, _, errs := c.run(word); code != exitUsage || !strings.Contains(errs, want+"\n") {
			t.Errorf("%s: exit code %d, %q", word, code, errs)
		}
	}
	if _, _, errs := c.run("s"); strings.Count(errs, " or ") > 2 {
		t.Errorf("s: %q", errs)
	}
}
