package cli

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/cli/core"
	"vespe/model"
)

// badWriter fails as a full disk or a closed pipe does.
type badWriter struct{ err error }

func (w badWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatCannotBeWritten(t *testing.T) {
	c := fresh(t)
	c.must("new", "A")
	c.out = badWriter{syscall.ENOSPC}
	for _, args := range [][]string{{"ls"}, {"--json", "tree"}, {"version"}} {
		code, _, errs := c.run(args...)
		if code != core.ExitFailed || !strings.Contains(errs, "can't write the output") || !strings.Contains(errs, "no space") {
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
		if code != core.ExitUnsure || !strings.Contains(errs, "can't write the output") || !strings.Contains(errs, "succeeded") {
			t.Errorf("%v onto a full disk: exit code %d, %q", args, code, errs)
		}
		if c.out = nil; slices.Contains(args, "--op-id") {
			if code, out, errs := c.run(args...); code != core.ExitOK || out == "" {
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
		a := core.NewApp(core.Deps{Getenv: func(k string) string { return map[string]string{"USER": "bob"}[k] }, GitName: func() string { asked++; return git }})
		for range 2 {
			if got, err := a.Actor(); err != nil || got != want {
				t.Errorf("git says %q: %q, %v; want %q", git, got, err, want)
			}
		}
		if asked != 1 {
			t.Errorf("git is asked %d times", asked)
		}
	}
	a := core.NewApp(core.Deps{Getenv: func(k string) string { return map[string]string{"CLAUDECODE": "1"}[k] }, GitName: func() string { t.Error("git is asked"); return "x" }})
	if got, err := a.Actor(); err != nil || got != "agent:claude-code" {
		t.Errorf("an agent is %q, %v", got, err)
	}
}

// A person whom no variable names is called by the account.
func TestActorFallsBackToTheAccount(t *testing.T) {
	env := map[string]string{}
	d := core.Deps{Getenv: func(k string) string { return env[k] }, Account: func() string { return "ann" }}
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
		if got, err := core.NewApp(d).Actor(); err != nil || got != tt.want {
			t.Errorf("with %s=%s: %s, %v; want %s", tt.name, tt.value, got, err, tt.want)
		}
	}
	if got, err := core.NewApp(core.Deps{Getenv: func(string) string { return "" }, Account: func() string { return "" }}).Actor(); err != nil || got != "human:someone" {
		t.Errorf("nobody: %s, %v", got, err)
	}
}
