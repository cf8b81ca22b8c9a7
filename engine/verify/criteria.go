package verify

import (
	"fmt"
	"slices"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/runlog"
)

// maxNamed is how many tests that criteria name are run one by one.
const maxNamed = 20

var (
	// namesTest finds the test that a criterion names.
	namesTest = lazyregexp.New("(?i)\\btest:\\s*(?:`([^`]+)`|([^\\s`,;()]+))")
	// isCommand is a criterion that says no more than that a command has to end well.
	isCommand = lazyregexp.New("(?i)^(?:runs?\\s+|the command\\s+)?`([^`]+)`(?:\\s+(?:pass|passes|succeed|succeeds|is green|runs without (?:an error|errors?)|exits? (?:with )?(?:code |status )?0))?\\s*[.!]?$")
	// anyCommand is a text in backticks.
	anyCommand = lazyregexp.New("`([^`]+)`")
)

// testOf is the test that a criterion names, "" where it names none.
func testOf(text string) string {
	m := namesTest.Get().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.TrimRight(m[1]+m[2], ".!?:")
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// named are the checks of the tests that criteria name: one for each runner that knows such names.
func (v *verifier) named(cs []model.Criterion, runners []runner) (out []*command) {
	var seen []string
	for _, c := range cs {
		name := testOf(c.Text)
		if name == "" || slices.Contains(seen, name) || len(seen) == maxNamed {
			continue
		}
		seen = append(seen, name)
		for _, r := range runners {
			if argv := v.tree.only(r, name); argv != nil {
				out = append(out, &command{
					Evidence: runlog.Evidence{Name: v.name("test "+name, r.dir), Argv: argv, Source: "criterion"},
					kind:     r.kind, dir: r.dir, test: name,
				})
			}
		}
	}
	return out
}

// criteria says of each criterion what the checks say of it, and of most of them that none does.
func criteria(cs []model.Criterion, checks []*command, r *runlog.Report) (out []runlog.Criterion) {
	overall := "every check passed"
	switch {
	case !r.OK:
		overall = "the checks failed"
	case !r.Tested:
		overall = "nothing was tested"
	}
	for _, c := range cs {
		k := runlog.Criterion{Text: c.Text, Status: runlog.NotRun, Why: "no command verifies it; " + overall}
		if name := testOf(c.Text); name != "" {
			k.Why = "no test runner can run only the test " + name
			ofTest(&k, name, checks)
		} else if m := isCommand.Get().FindStringSubmatch(c.Text); m != nil {
			ofCommand(&k, words(m[1]), checks)
		} else if m := anyCommand.Get().FindStringSubmatch(c.Text); m != nil {
			for _, check := range checks {
				if commandOf(check) == words(m[1]) {
					k.Why = "`" + words(m[1]) + "` was run (" + string(check.Status) + "). A person must judge whether that meets the criterion"
				}
			}
		}
		out = append(out, k)
	}
	return out
}

// ofTest takes what the runs of a test say: that it failed anywhere counts before that it passed.
func ofTest(k *runlog.Criterion, name string, checks []*command) {
	for _, check := range checks {
		if check.test != name {
			continue
		}
		if k.By == "" || k.Status == runlog.NotRun || check.Status == runlog.Fail {
			k.Status, k.By, k.Why = check.Status, check.Name, why(check)
		}
	}
}

// ofCommand takes what the run of a command says.
func ofCommand(k *runlog.Criterion, line string, checks []*command) {
	for _, check := range checks {
		if check.test == "" && commandOf(check) == line {
			k.Status, k.By, k.Why = check.Status, check.Name, why(check)
			return
		}
	}
	k.Why = "`" + line + "` was not run"
}

// commandOf is a command as somebody writes it.
func commandOf(c *command) string { return words(strings.Join(c.Argv, " ")) }

// why is why a check did not pass, beside its name.
func why(c *command) string {
	if c.Status == runlog.Fail && c.Why == "" {
		return fmt.Sprintf("exit code %d", c.Exit)
	}
	return c.Why
}
