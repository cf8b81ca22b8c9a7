package verdict

import (
	"fmt"
	"strings"

	"vespe/ui/style"
	"vespe/ui/taskdocs"

	"vespe/model/progress"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// Limits of what a dialog shows of finished work; the rest is in the result tab.
const (
	mostFiles   = 6
	mostSummary = 6
	mostReport  = 24

	severalReport = 3 // of each, where several are accepted at once
)

// WorkRows name the files of finished work, and say what its summary begins with.
func (v Proposer) WorkRows(docs []*taskdocs.Docs) []overlay.Affected {
	var out []overlay.Affected
	for _, s := range docs {
		if len(docs) > 1 {
			out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: v.name(s.UID), Detail: text.Plural(len(s.Results), "result file")})
			if r := v.ReportOn(s); r != nil {
				for _, row := range textRows(v.Styles, r.Text, severalReport) {
					out = append(out, overlay.Affected{Title: "  " + row.Title})
				}
			}
			continue
		}
		if len(s.Results) == 0 {
			out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Warning, Ink: v.Styles.Warn, Title: "it left no result files"})
		}
		for i, f := range s.Results {
			if i == mostFiles {
				out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: fmt.Sprintf("and %d more", len(s.Results)-i)})
				break
			}
			out = append(out, overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: f.Path, Detail: detail.Size(f.Size) + "  " + ShortHash(f.Hash)})
		}
		out = append(out, v.summaryRows(s)...)
	}
	return out
}

// ReportOn is the report on the work of a dialog; nil for none.
func (v Proposer) ReportOn(s *taskdocs.Docs) *progress.WorkReport {
	t, ok := v.Snap.Task(s.UID)
	if !ok {
		return nil
	}
	return progress.ReportOf(t, s.History)
}

// reportRows are what was said when the work was reported as done, and a row free after it.
func (v Proposer) reportRows(s *taskdocs.Docs) []overlay.Affected {
	r := v.ReportOn(s)
	if r == nil {
		return nil
	}
	head := overlay.Affected{Glyph: v.Styles.Glyph.Dot, Ink: v.Styles.Accent, Title: "Reported by " + detail.Who(r.By), Detail: "in their own words"}
	if w := s.Work(); w.Report != nil && w.Report.OK {
		head.Detail = "the checks are below"
	}
	return append(append([]overlay.Affected{head}, textRows(v.Styles, r.Text, mostReport)...), overlay.Affected{})
}

// summaryRows are the first lines of result/summary.md, where that is not the report.
func (v Proposer) summaryRows(s *taskdocs.Docs) []overlay.Affected {
	if r := v.ReportOn(s); r != nil && r.Text == strings.TrimSpace(string(s.Summary)) {
		return nil
	}
	rows := textRows(v.Styles, string(s.Summary), mostSummary)
	if len(rows) == 0 {
		return nil
	}
	return append([]overlay.Affected{{}}, rows...) // a row free before it
}

// textRows are the first lines of a text that say something, most rows of them and one that says how many more
// there are.
func textRows(st *style.Styles, body string, most int) (out []overlay.Affected) {
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(text.SafeLine(strings.TrimRight(line, "\r\n")))
		if line == "" {
			continue
		}
		for _, part := range text.Wrap(line, summaryWidth) {
			out = append(out, overlay.Affected{Title: part})
		}
	}
	if more := len(out) - most; more > 0 {
		out = append(out[:most:most], overlay.Affected{Title: fmt.Sprintf("%s %s in the result tab", st.Glyph.Ellipsis, text.Plural(more, "more row"))})
	}
	return out
}

// summaryWidth is the room that a dialog has for a line of a text where it is narrow.
const summaryWidth = 56
