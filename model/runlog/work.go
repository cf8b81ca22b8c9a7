package runlog

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Work is what is known of finished work beside what was reported: the verification of its last run.
type Work struct {
	Run    string  // the last run; "" where nothing ran, and nothing is known
	Report *Report // what its verification found; nil for none
	Err    error   // why the report cannot be read
}

// Verified says in a sentence or two what the verification of the work found: how many of its checks passed and of its
// criteria were met, and what is missing.
func (w *Work) Verified() string {
	switch {
	case w.Run == "":
		return "Not verified: it was only reported as done."
	case w.Err != nil:
		return "Not verified: can't read the results of its checks: " + FirstLine(w.Err.Error()) + "."
	case w.Report == nil:
		return "Not verified: no checks ran."
	}
	r := w.Report
	says := "No checks ran"
	if passed, failed := r.checks(); passed == len(r.Checks) && passed > 0 {
		says = model.Plural(passed, "check", "checks") + " passed"
	} else if len(r.Checks) > 0 {
		says = fmt.Sprintf("%d of %s passed (%s)", passed, model.Plural(len(r.Checks), "check", "checks"), strings.Join(failed, ", "))
	}
	if n := len(r.Criteria); n > 0 {
		met := slices.DeleteFunc(slices.Clone(r.Criteria), func(c Criterion) bool { return c.Status != Pass })
		says += fmt.Sprintf(", %d of %s met", len(met), model.Plural(n, "criterion", "criteria"))
	}
	if len(r.Missing) > 0 {
		says += ". Missing: " + strings.Join(r.Missing, ", ")
	}
	if len(r.Outside) > 0 {
		says += ". Changed, but not named by the task: " + strings.Join(r.Outside, ", ")
	}
	if why := FirstLine(r.Why); why != "" && (!r.OK || !r.Tested) {
		says += ". " + model.Capital(strings.TrimRight(why, "."))
	} else if !r.Tested {
		says += ". No test was found"
	}
	return says + "."
}

// Sound reports that the verification missed nothing.
func (w *Work) Sound() bool {
	r := w.Report
	if w.Err != nil || r == nil || !r.OK || !r.Tested || len(r.Outside)+len(r.Missing) > 0 {
		return false
	}
	passed, _ := r.checks()
	return passed == len(r.Checks) && !slices.ContainsFunc(r.Criteria, func(c Criterion) bool { return c.Status != Pass })
}

// checks are how many checks passed, and what became of the others.
func (r *Report) checks() (passed int, others []string) {
	for i := range r.Checks {
		switch c := &r.Checks[i]; c.Status {
		case Pass:
			passed++
		case Fail:
			others = append(others, fmt.Sprintf("%s: exit %d", c.Name, c.Exit))
		default:
			others = append(others, c.Name+": not run")
		}
	}
	return passed, others
}

// Finding is what is known of one check or criterion, as a row says it.
type Finding struct {
	Status Status
	Title  string
	Detail string // why, by what, or with which exit code; "" for nothing
}

// Findings are each check of the verification, then each criterion; none without a report.
func (w *Work) Findings() []Finding {
	if w.Report == nil {
		return nil
	}
	var out []Finding
	for i := range w.Report.Checks {
		c := &w.Report.Checks[i]
		detail := c.Why
		if c.Status != NotRun && len(c.Argv) > 0 {
			detail = fmt.Sprintf("exit %d", c.Exit)
		}
		out = append(out, Finding{c.Status, "check " + c.Name, detail})
	}
	for _, c := range w.Report.Criteria {
		detail := c.Why
		if c.By != "" {
			detail = "by " + c.By
		}
		out = append(out, Finding{c.Status, c.Text, detail})
	}
	return out
}

// Words are what a row calls the status.
func (s Status) Words() string {
	switch s {
	case Pass, Fail:
		return string(s)
	}
	return "not run"
}
