package detail

import (
	"strings"

	"vespe/model"
	"vespe/model/progress"
	"vespe/ui/markdown"
	"vespe/ui/style"
	"vespe/ui/text"
)

// How many rows of a report the overview has, and the tab with the result.
const (
	overviewReport = 40
	resultReport   = 2000
)

// report is what was said when the work was reported as done; nil where it is not completed, or nothing was said.
func (d *Detail) report() *progress.WorkReport {
	t := d.task()
	if t == nil || t.Status.CurrentState != model.Completed {
		return nil
	}
	return d.history.report
}

// report draws the report on finished work as it was written, with at most most rows of it: it is the first thing to read
// where work is judged.
func (s *writer) report(most int) {
	r := s.d.report()
	if r == nil {
		return
	}
	st := s.d.st
	s.head("Report", strings.TrimPrefix(by(actor(r.By), s.d.ago(r.At)), ", ")+", in their own words")
	lines := s.d.results.report.Rows(r.Text, st, s.w-2)
	if s.d.raw {
		lines = s.wrapped(st.Text, r.Text, s.w-2)
	}
	for k, l := range lines {
		if k == most {
			more := st.Glyph.Ellipsis + " " + plural(len(lines)-k, "more row")
			if key := s.d.keys("tab.result"); key != "" && most == overviewReport {
				more += ": " + key + " has all of it"
			}
			s.add("  " + st.Muted.Render(text.Truncate(more, s.w-2)))
			return
		}
		s.add("  " + l)
	}
}

// DrawnReport keeps the rows of a report from one layout to the next.
type DrawnReport struct {
	text  string
	w     int
	st    *style.Styles
	lines []string
}

// Rows are a text as Markdown, or as it is where that would hide some of it.
func (r *DrawnReport) Rows(body string, st *style.Styles, w int) []string {
	if r.st != st || r.w != w || r.text != body {
		lines, ok := markdown.Whole(body, st, w)
		if !ok {
			lines = text.Wrap(strings.TrimSpace(text.Safe(body)), max(1, w))
		}
		*r = DrawnReport{body, w, st, lines}
	}
	return r.lines
}
