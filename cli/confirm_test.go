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
