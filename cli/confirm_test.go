package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/model/runlog"
	"vespe/store"
)

// slow is somebody who answers once something else has happened.
type slow struct {
	first  func()
	answer *strings.Reader
}

func (s *slow) Read(b []byte) (int, error) {
	if s.first != nil {
		s.first()
		s.first = nil
	}
	return s.answer.Read(b)
}

// What is accepted at a terminal is what was shown there: what changed before the answer is refused, no matter who
// says yes.
func TestAcceptedIsWhatWasShown(t *testing.T) {
	for name, meanwhile := range map[string]struct {
		edit []string
		code int
	}{
		"nothing":    {nil, core.ExitOK},
		"the plan":   {[]string{"define-plan", "T", "Another one.\n"}, core.ExitConflict},
		"the risk":   {[]string{"set", "T", "risk=high"}, core.ExitConflict},
		"a comment":  {[]string{"comment", "T", "And the tests?"}, core.ExitConflict},
		"a decision": {[]string{"reject-plan", "T", "-m", "No."}, core.ExitFailed}, // the plan waits for nobody now
	} {
		c := fresh(t)
		c.must("new", "T")
		c.must("define-objective", "T", "Do it.")
		c.must("define-plan", "T", "Like this.")
		other := at(t, c.dir)
		c.typed = &slow{answer: strings.NewReader("y\n"), first: func() {
			if meanwhile.edit != nil {
				other.must(meanwhile.edit...)
			}
		}}
		code, _, errs := c.run("accept-plan", "T")
		if code != meanwhile.code || !strings.Contains(errs, "Accept it? y/N") {
			t.Errorf("%s changed meanwhile: exit code %d, want %d\n%s", name, code, meanwhile.code, errs)
		}
	}
}

// The question says what the workbench's dialog says: what its checks found, which files it left, and what is not done.
func TestAcceptingWorkPrintsWhatIsKnownOfIt(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "Like this.")
	c.must("set", "T", "steps=First,Second")
	c.must("accept-plan", "T")
	c.must("start", "T")
	c.must("work-completed", "T", "Did a, but not b.")
	ask := func() string {
		t.Helper()
		c.typed = strings.NewReader("n\n")
		code, _, errs := c.run("review-accepted", "T")
		if code == core.ExitOK {
			t.Errorf("it was accepted\n%s", errs)
		}
		return errs
	}
	for _, want := range []string{"Did a, but not b.", "Accept it? y/N", "NOT VERIFIED: it was reported as done, but no check was run", "2 steps are not ticked: 1. First; 2. Second", "result       summary.md"} {
		if errs := ask(); !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
	runs, err := filepath.Glob(filepath.Join(c.dir, store.Name, "tasks", "*", "persistent", "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs: %v, %v", runs, err)
	}
	report := runlog.Report{
		OK: true, Checks: []runlog.Evidence{{Name: "go vet", Argv: []string{"go", "vet"}, Status: runlog.Pass}},
		Criteria: []runlog.Criterion{{Text: "It is fast", Status: runlog.NotRun, Why: "nothing checks it"}},
	}
	if err := os.WriteFile(filepath.Join(runs[0], "verify.json"), report.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NOT TESTED: only its checks show that it works", "pass         check go vet: exit 0", "not run      It is fast: nothing checks it"} {
		if errs := ask(); !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
	c.typed = strings.NewReader("y\n")
	if code, _, errs := c.run("review-accepted", "T"); code != core.ExitOK {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
