package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/progress"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// reviewWork opens the sheet for accepting finished work: whose, what was reported, what shows that it is right, and
// which files it left.
func (a *App) reviewWork(targets []model.UID) tea.Cmd {
	uids, risky := a.alone(a.fit(model.ReviewAccepted, targets))
	if len(risky) > 0 {
		if len(uids) == 0 {
			return a.oneByOne(model.ReviewAccepted, risky)
		}
		targets = uids
	}
	return a.withSheets(model.ReviewAccepted.Title(), uids, func(sheets []*sheet) tea.Cmd {
		return a.bound(model.ReviewAccepted, sheets, func(sheets []*sheet) tea.Cmd { return a.openWork(targets, sheets, risky) })
	})
}

func (a *App) openWork(targets []model.UID, sheets []*sheet, risky []string) tea.Cmd {
	p, err := a.propose(model.Op{Name: model.ReviewAccepted}, targets, byTask(sheets))
	if err != nil {
		return a.fail(a.refused(model.ReviewAccepted.Title(), err))
	}
	if len(risky) > 0 {
		p.notes = append(p.notes, leftAlone(risky))
	}
	if len(sheets) != 1 {
		return a.confirm(p, a.workRows(sheets))
	}
	p.notes = append(sheets[0].work().Notes(), p.notes...)
	if sheets[0].work().Run == "" {
		p.notes = append([]string{"NOT VERIFIED: it was only reported as done"}, p.notes...)
	}
	uid := sheets[0].uid
	notes, rest := shorten(a, p.notes)
	return a.dialogs.Push(&workSheet{verdictSheet{a: a, uid: uid, p: p, Question: a.question(dialog.Ask{
		Title: fmt.Sprintf("Accept the work on %q?", a.name(uid)), Notes: notes, Yes: "Accept", Bottom: true, Accepts: true,
		Affected: []overlay.Affected{a.effectRow(&p, uid)},
		Details:  slices.Concat(rest, []overlay.Affected{a.factRow("effect", p.summary)}, a.reportRows(sheets[0]), a.evidenceRows(sheets[0]), a.workRows(sheets), p.affected, a.later(&p)),
		Done:     func() tea.Cmd { a.shown = p.sheets; return a.fire(job{ops: p.ops}) },
	})}})
}

// workSheet asks whether the finished work of one task is accepted.
type workSheet struct{ verdictSheet }

func (s *workSheet) Can(action keymap.Action) dialog.Can {
	c := s.verdictSheet.Can(action)
	if action == keymap.ConfirmDiff {
		c.No = s.uid != s.a.followed || !s.a.workShown()
	}
	return c
}

func (s *workSheet) Do(action keymap.Action) (tea.Cmd, bool) {
	if action != keymap.ConfirmDiff || s.Can(action).No {
		return s.verdictSheet.Do(action)
	}
	t, ok := s.a.snap.Task(s.uid)
	if !ok {
		return nil, true
	}
	s.a.dialogs.Drop(s)
	run, _ := s.a.hasWork(t)
	return s.a.showWork(s.uid, run, func() tea.Cmd { return s.a.reviewWork([]model.UID{s.uid}) }), true
}

// Limits of what a sheet shows of finished work; the rest is in the result tab.
const (
	sheetFiles   = 6
	sheetSummary = 6
	sheetReport  = 24

	severalReport = 3 // of each, where several are accepted at once
)

// workRows name the files of finished work, and say what its summary begins with.
func (a *App) workRows(sheets []*sheet) []overlay.Affected {
	var out []overlay.Affected
	for _, s := range sheets {
		if len(sheets) > 1 {
			out = append(out, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: a.name(s.uid), Detail: plural(len(s.results), "result file")})
			if r := a.reportOn(s); r != nil {
				for _, row := range textRows(a, r.Text, severalReport) {
					out = append(out, overlay.Affected{Title: "  " + row.Title})
				}
			}
			continue
		}
		if len(s.results) == 0 {
			out = append(out, overlay.Affected{Glyph: a.st.Glyph.Warning, Ink: a.st.Warn, Title: "it left no result files"})
		}
		for i, f := range s.results {
			if i == sheetFiles {
				out = append(out, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: fmt.Sprintf("and %d more", len(s.results)-i)})
				break
			}
			out = append(out, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: f.Path, Detail: detail.Size(f.Size) + "  " + shortHash(f.Hash)})
		}
		out = append(out, a.summaryRows(s)...)
	}
	return out
}

// reportOn is the report on the work of a sheet; nil for none.
func (a *App) reportOn(s *sheet) *progress.WorkReport {
	t, ok := a.snap.Task(s.uid)
	if !ok {
		return nil
	}
	return progress.ReportOf(t, s.history)
}

// reportRows are what was said when the work was reported as done, and a row free after it.
func (a *App) reportRows(s *sheet) []overlay.Affected {
	r := a.reportOn(s)
	if r == nil {
		return nil
	}
	head := overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: "Reported by " + detail.Who(r.By), Detail: "not checked"}
	return append(append([]overlay.Affected{head}, textRows(a, r.Text, sheetReport)...), overlay.Affected{})
}

// summaryRows are the first lines of result/summary.md, where that is not the report.
func (a *App) summaryRows(s *sheet) []overlay.Affected {
	if r := a.reportOn(s); r != nil && r.Text == strings.TrimSpace(string(s.summary)) {
		return nil
	}
	rows := textRows(a, string(s.summary), sheetSummary)
	if len(rows) == 0 {
		return nil
	}
	return append([]overlay.Affected{{}}, rows...) // a row free before it
}

// textRows are the first lines of a text that say something, most rows of them and one that says how many more
// there are.
func textRows(a *App, body string, most int) (out []overlay.Affected) {
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
		out = append(out[:most:most], overlay.Affected{Title: fmt.Sprintf("%s %s in the tab with the result", a.st.Glyph.Ellipsis, plural(more, "more row"))})
	}
	return out
}

// summaryWidth is the room that a sheet has for a line of a text where it is narrow.
const summaryWidth = 56
