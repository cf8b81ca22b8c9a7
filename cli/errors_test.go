package cli

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"vespe/cli/core"
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
