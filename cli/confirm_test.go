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
	if _, errs := c.typing("n\n", "accept-plan", "T"); !strings.Contains(errs, "\n> One.\n> \n> Two.\n") {
		t.Errorf("the plan is not shown:\n%s", errs)
	}
	c.must("reject-plan", "T", "-m", "No.")
	c.must("set", "T", "risk=high", "files_to_create=a.go")
	c.must("define-plan", "T", "First.\n\nTwo.\n\nThree.\n\nFour.\n\nAnd more.\n")
	_, errs := c.typing("n\n", "accept-plan", "T")
	for _, want := range []string{`Plan of "T", revision 2`, "\n-One.\n+First.\n", "\n+And more.\n", "! High risk", "! 1 change that no comment asked for", "! It names no tests and no checks", "It can start.", "Accept it? y/N"} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is missing", want)
		}
	}
	// A dry run names the same.
	var dry struct {
		Warnings []string
		Doubts   []struct{ Code, Text string }
	}
	c.typed = nil
	c.object(&dry, "accept-plan", "T", "--dry-run")
	for i, d := range dry.Doubts {
		if !strings.Contains(errs, "! "+d.Text+"\n") || dry.Warnings[i] != d.Text || d.Code == "" {
			t.Errorf("a dry run doubts %q: %q", d.Code, d.Text)
		}
	}
	if asked := strings.Count(errs, "\n  ! "); len(dry.Doubts) != asked || asked < 3 {
		t.Errorf("a dry run has %d doubts, the question %d", len(dry.Doubts), asked)
	}
	if strings.Contains(errs, "sha256") || strings.Contains(errs, "spec ") {
		t.Error("it shows hashes")
	}
	if t.Failed() {
		t.Log(errs)
	}
}

// A dry run of accepting work doubts what the question doubts.
func TestDryRunOfWork(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "Like this.")
	c.must("accept-plan", "T")
	c.must("start", "T")
	c.must("work-completed", "T")
	_, out, errs := c.run("review-accepted", "T", "--dry-run")
	_, asked := c.typing("n\n", "review-accepted", "T")
	for _, doubt := range []string{"Not verified: no checks ran.", "It left no result files"} {
		if !strings.Contains(errs, "warning: "+doubt) || !strings.Contains(asked, "! "+doubt) {
			t.Errorf("%q is missing in\n%s%s\nor in\n%s", doubt, out, errs, asked)
		}
	}
}

// What somebody else decided is undone after a question that says what and whose it is; one's own decision at once.
func TestUndoOfAnotherPerson(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "Like this.")
	c.must("--as", "human:bob", "accept-plan", "T")
	code, errs := c.typing("n\n", "undo", "T")
	if code != core.ExitFailed || !strings.Contains(errs, `This would undo`) || !strings.Contains(errs, "human:bob") || !strings.Contains(errs, "Undo it? y/N") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, errs := c.typing("", "--as", "human:bob", "undo", "T"); code != core.ExitOK || strings.Contains(errs, "y/N") {
		t.Errorf("one's own: exit code %d\n%s", code, errs)
	}
	// So is a decomposition.
	c.typed = nil
	c.must("define-plan", "T", "## Tasks\n\n- [ ] One\n- [ ] Two\n")
	c.must("accept-plan", "T")
	c.must("--as", "human:bob", "decompose", "T", "--yes")
	if code, errs := c.typing("n\n", "undo", "T"); code != core.ExitFailed || !strings.Contains(errs, "human:bob") {
		t.Errorf("a decomposition: exit code %d\n%s", code, errs)
	}
}

// A yes is to the decision that was shown, whatever was decided while the question was open, also with an id.
func TestUndoWhileItAsks(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "Like this.")
	c.must("--as", "human:bob", "reject-plan", "T", "-m", "No.")
	other := at(t, c.dir)
	c.typed = &slow{answer: strings.NewReader("y\n"), first: func() {
		other.must("--as", "human:bob", "undo", "T")
		other.must("--as", "human:carol", "accept-plan", "T")
	}}
	if code, _, errs := c.run("undo", "T", "--op-id", "once"); code != core.ExitConflict {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	for _, answer := range []string{"y\n", ""} { // what was done with an id is not done again
		if code, errs := c.typing(answer, "undo", "T", "--op-id", "twice"); code != core.ExitOK {
			t.Errorf("exit code %d\n%s", code, errs)
		}
	}
}

// A number of an option means what was read: a terminal shows the option and asks, and elsewhere the request is named by
// its hash.
func TestChoiceByNumber(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	ask := func(options string) (hash string) {
		c.must("--as", "agent:claude", "ask", "T", "--title", "Which port?", "--options", options)
		var list struct{ Requests []struct{ Hash string } }
		c.object(&list, "requests")
		return list.Requests[0].Hash
	}
	hash := ask("80,8080")
	if code, _, errs := c.run("answer", "T", "--choice", "2"); code != core.ExitUsage || !strings.Contains(errs, `--choice "8080"`) {
		t.Errorf("without a terminal: exit code %d\n%s", code, errs)
	}
	if code, errs := c.typing("n\n", "answer", "T", "--choice", "2"); code != core.ExitFailed || !strings.Contains(errs, "8080") {
		t.Errorf("at a terminal: exit code %d\n%s", code, errs)
	}
	c.typed = nil
	if code, _, errs := c.run("answer", "T", "--choice", "2", "--seen", "sha256-"+strings.Repeat("0", 64)); code != core.ExitConflict {
		t.Errorf("of another request: exit code %d\n%s", code, errs)
	}
	if code, _, errs := c.run("answer", "T", "--choice", "2", "--seen", hash); code != core.ExitOK {
		t.Errorf("of what was read: exit code %d\n%s", code, errs)
	}
}

// At a terminal a verdict that needs a reason asks for it; without one nothing is done.
func TestAReasonIsAskedFor(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("define-objective", "T", "Do it.")
	c.must("define-plan", "T", "Like this.")
	if code, errs := c.typing("\n", "plan", "reject", "T"); code != core.ExitUsage || !strings.Contains(errs, "What to improve: ") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, errs := c.typing("Not like this.\n", "plan", "reject", "T"); code != 0 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if out := c.must("show", "T"); !strings.Contains(out, "Not like this.") {
		t.Error(out)
	}
	// What would be refused asks for no words.
	c.must("new", "Empty")
	if code, errs := c.typing("No.\n", "plan", "reject", "Empty"); code == core.ExitOK || strings.Contains(errs, "What to improve: ") {
		t.Errorf("a task without a plan: exit code %d\n%s", code, errs)
	}
}

// What is approved at a terminal is shown before it is asked about, its command and its risk.
func TestAnApprovalShowsWhatItIs(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("--as", "agent:b", "ask", "T", "--kind", "action", "--title", "Clean up", "--risk", "high", "--args", `{"command":"rm -rf build"}`)
	code, errs := c.typing("n\n", "request", "answer", "T", "approve")
	if code != core.ExitFailed || !strings.Contains(errs, "rm -rf build") || !strings.Contains(errs, "high") || !strings.Contains(errs, "Answer it? y/N") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, errs := c.typing("y\n", "request", "answer", "T", "approve"); code != core.ExitOK {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

// A denial says why: at a terminal it is asked for.
func TestADenialAsksWhy(t *testing.T) {
	c := fresh(t)
	c.must("new", "T")
	c.must("--as", "agent:b", "ask", "T", "--title", "May I?")
	if code, errs := c.typing("\n", "request", "answer", "T", "deny"); code == core.ExitOK || !strings.Contains(errs, "Reason: ") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if code, errs := c.typing("Not today.\n", "request", "answer", "T", "deny"); code != core.ExitOK {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
