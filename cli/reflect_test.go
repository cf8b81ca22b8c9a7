package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/cli/core"
)

// At a terminal each proposal is asked about; what is neither accepted nor declined is proposed again.
func TestReflectAsks(t *testing.T) {
	for typed, want := range map[string]struct {
		said, later string
		lines       int // of guidelines.txt that were proposed
	}{
		"y\nd\n": {"1 accepted, 1 declined", "no proposals", 1},
		"\nn\n":  {"Nothing was changed", "2 proposals", 0},
		"d\n":    {"0 accepted, 1 declined", "1 proposal", 0},
		"":       {"Nothing was changed", "2 proposals", 0},
	} {
		c := fresh(t)
		for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
			c.must("new", name)
			c.must("define-objective", name, "Do it.")
			c.must("define-plan", name, "Like this.")
			why := "the error path has no tests"
			if name > "C" {
				why = "names of columns are unclear"
			}
			c.must("reject-plan", name, "-m", why)
		}
		c.typed = strings.NewReader(typed)
		code, out, errs := c.run("reflect")
		if code != core.ExitOK || !strings.Contains(out, want.said) || !strings.Contains(errs, "Accept it? y(es)/d(ecline for good)/N") || !strings.Contains(errs, "+- Check ") {
			t.Errorf("%q: exit code %d\n%s%s", typed, code, out, errs)
		}
		c.typed = nil
		if out := c.must("reflect"); !strings.Contains(out, want.later) {
			t.Errorf("%q: then %s", typed, out)
		}
		b, _ := os.ReadFile(filepath.Join(c.dir, ".vespe", "guidelines.txt"))
		if n := strings.Count(string(b), "- Check "); n != want.lines {
			t.Errorf("%q: guidelines\n%s", typed, b)
		}
	}
}

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
