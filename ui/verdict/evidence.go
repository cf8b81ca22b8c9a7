package verdict

import (
	"cmp"
	"fmt"
	"strings"

	"vespe/model/runlog"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
)

// EvidenceLines are the results of the checks of work in a few lines: problems, and what passed.
func EvidenceLines(r *runlog.Report) (loud, quiet []string) {
	if r == nil {
		return []string{"NOT VERIFIED: no report of any check is there."}, nil
	}
	if !r.Tested {
		why := "no test was found"
		if say := runlog.FirstLine(r.Why); r.OK && say != "" {
			why = say
		}
		loud = append(loud, "NOT TESTED: "+strings.TrimRight(why, ".")+".")
	}
	put := func(good bool, s string) {
		if good {
			quiet = append(quiet, s)
		} else {
			loud = append(loud, capital(s)+".")
		}
	}
	count := map[runlog.Status]int{}
	var failed []string
	for i := range r.Checks {
		c := &r.Checks[i]
		count[c.Status]++
		if c.Status == runlog.Fail {
			failed = append(failed, fmt.Sprintf("%s (exit %d)", c.Name, c.Exit))
		}
	}
	line := plural(count[runlog.Pass], "check") + " passed"
	if n := count[runlog.Fail] + count[runlog.NotRun]; n > 0 {
		line += fmt.Sprintf(", %d failed, %d not run", count[runlog.Fail], count[runlog.NotRun])
	}
	if len(failed) > 0 {
		line += ": " + text.Listed(failed, 3)
	}
	put(len(failed)+count[runlog.NotRun] == 0, line)
	if len(r.Missing) > 0 {
		put(false, "missing: "+text.Listed(r.Missing, 5))
	}
	if len(r.Outside) > 0 {
		put(false, "changed, but not named by the task: "+text.Listed(r.Outside, 5))
	}
	shown := 0
	for _, c := range r.Criteria {
		if c.Status == runlog.Pass {
			shown++
		}
	}
	if n := len(r.Criteria); n > 0 {
		put(shown == n, fmt.Sprintf("%d of %d criteria verified", shown, n))
	}
	return loud, quiet
}

// evidenceRows are the evidence in a dialog for finished work: each check, then each criterion.
func (v Proposer) evidenceRows(s *taskdocs.Docs) []overlay.Affected {
	st := v.Styles
	signs := map[runlog.Status]string{runlog.Pass: "✓", runlog.Fail: "✗"}
	if st.Options.ASCII {
		signs = map[runlog.Status]string{runlog.Pass: "+", runlog.Fail: "X"}
	}
	inks := map[runlog.Status]style.Ink{runlog.Pass: st.Good, runlog.Fail: st.Bad}
	var out []overlay.Affected
	for _, f := range s.Work().Findings() {
		ink, ok := inks[f.Status]
		if !ok {
			ink = st.Warn
		}
		sign := cmp.Or(signs[f.Status], map[bool]string{true: "-", false: "○"}[st.Options.ASCII])
		out = append(out, overlay.Affected{Glyph: sign, Ink: ink, Title: f.Title, Detail: strings.TrimSuffix(f.Status.Words()+", "+f.Detail, ", ")})
	}
	if len(out) > 0 {
		out = append(out, overlay.Affected{})
	}
	return out
}
