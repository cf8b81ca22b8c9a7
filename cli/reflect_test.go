package cli

import (
	"strings"
	"testing"

	"vespe/cli/core"
)

// At a terminal the tasks of a plan are shown and asked about; without a yes nothing is made.
func TestDecomposeAsks(t *testing.T) {
	for typed, want := range map[string]int{"y\n": core.ExitOK, "n\n": core.ExitFailed, "": core.ExitFailed} {
		c := fresh(t)
		c.must("new", "T")
		c.must("define-objective", "T", "Do it.")
		c.must("define-plan", "T", "## Task 1: Read\n## Task 2: Write\nDepends on: T1\n")
		c.must("accept-plan", "T")
		c.typed = strings.NewReader(typed)
		code, out, errs := c.run("decompose", "T")
		if code != want || !strings.Contains(errs, "T2  Write") || !strings.Contains(errs, "Create them? y/N") {
			t.Errorf("%q: exit code %d, want %d\n%s%s", typed, code, want, out, errs)
		}
		c.typed = nil
		if made := strings.Contains(c.must("ls"), "Write"); made != (want == core.ExitOK) {
			t.Errorf("%q: made: %v", typed, made)
		}
		c.person = true
		c.env["VESPE_AGENT"] = "1"
		if code, _, errs := c.run("decompose", "T", "--yes"); code != core.ExitDenied {
			t.Errorf("an agent makes them: exit code %d\n%s", code, errs)
		}
	}
}
