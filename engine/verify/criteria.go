package verify

import (
	"fmt"
	"strings"

	"vespe/internal/lazyregexp"
	"vespe/model"
	"vespe/model/runlog"
)

// isCommand is a criterion that says no more than that a command has to end well.
var isCommand = lazyregexp.New("(?i)^(?:runs?\\s+|the command\\s+)?`([^`]+)`(?:\\s+(?:pass|passes|succeed|succeeds|is green|runs without (?:an error|errors?)|exits? (?:with )?(?:code |status )?0))?\\s*[.!]?$")

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

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
		if m := isCommand.Get().FindStringSubmatch(c.Text); m != nil {
			ofCommand(&k, words(m[1]), checks)
		}
		out = append(out, k)
	}
	return out
}

// ofCommand takes what the run of a command says.
func ofCommand(k *runlog.Criterion, line string, checks []*command) {
	k.Why = "`" + line + "` was not run"
	for _, check := range checks {
		if words(strings.Join(check.Argv, " ")) == line {
			k.Status, k.By, k.Why = check.Status, check.Name, check.Why
			if check.Status == runlog.Fail && check.Why == "" {
				k.Why = fmt.Sprintf("exit code %d", check.Exit)
			}
			return
		}
	}
}
