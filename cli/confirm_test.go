package cli

import (
	"strings"
	"testing"

	"vespe/cli/core"
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

// typing answers what the next call asks at its terminal.
func (c *call) typing(answer string, args ...string) (code int, errs string) {
	c.typed = strings.NewReader(answer)
	code, _, errs = c.run(args...)
	return code, errs
}

// What would be refused is refused before anything is asked.
func TestRefusedBeforeItAsks(t *testing.T) {
	c := fresh(t)
	for _, name := range []string{"Base", "T"} {
		c.must("new", name)
		c.must("define-objective", name, "Do it.")
		c.must("define-plan", name, "Like this.")
	}
	c.must("dep", "add", "T", "Base")
	c.must("accept-plan", "T")
	for _, verb := range []string{"accept-plan", "review-accepted"} {
		code, errs := c.typing("y\n", verb, "T")
		if code != core.ExitFailed || strings.Contains(errs, "y/N") || !strings.Contains(errs, "vespe: can't accept") {
			t.Errorf("%s: exit code %d\n%s", verb, code, errs)
		}
	}
}

// The question names what should make a person hesitate and what comes of a yes, in place of hashes.
func TestTheQuestionNamesDoubts(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n")
	c.must("comment", "T", "--line", "1", "Really?")
	c.must("reject-plan", "T", "-m", "No.")
	c.must("set", "T", "risk=high", "files_to_create=a.go")
	c.must("define-plan", "T", "First.\n\nTwo.\n\nThree.\n\nFour.\n\nAnd more.\n")
	_, errs := c.typing("n\n", "accept-plan", "T")
	for _, want := range []string{`Plan of "T", revision 2`, "! High risk", "! 1 change that no comment asked for", "! It names no tests and no checks", "It can start.", "Accept it? y/N"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(errs, "sha256") || strings.Contains(errs, "spec ") {
		t.Error("it shows hashes")
	}
	if t.Failed() {
		t.Log(errs)
	}
}
