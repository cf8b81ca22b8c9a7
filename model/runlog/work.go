package runlog

import "fmt"

// Work is what is known of finished work beside what was reported: the verification of its last run.
type Work struct {
	Run    string  // the last run; "" where nothing ran, and nothing is known
	Report *Report // what its verification found; nil for none
	Err    error   // why the report cannot be read
}

// Notes are what a person must not overlook who accepts the work.
func (w *Work) Notes() []string {
	switch {
	case w.Run == "":
		return nil
	case w.Err != nil:
		return []string{"NOT VERIFIED: can't read the results of its checks: " + FirstLine(w.Err.Error())}
	case w.Report == nil:
		return []string{"NOT VERIFIED: it was reported as done, but no check was run"}
	}
	var out []string
	if !w.Report.Tested {
		out = append(out, "NOT TESTED: only its checks show that it works")
	}
	if !w.Report.OK {
		out = append(out, "verification failed: "+FirstLine(w.Report.Why))
	}
	return out
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
