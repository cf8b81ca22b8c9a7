package ui

import (
	"errors"
	"slices"
	"strings"

	"vespe/ui/taskdocs"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// drawRight draws the detail with its border; nil when it has no room.
func (a *App) drawRight(r screen.Rect) []string {
	if r.W == 0 || r.H == 0 {
		return nil
	}
	d := a.panes.detail
	if a.snap == nil {
		alone := a.screen.Layout.Left.W == 0
		body := a.unread(max(0, r.W-2), max(0, r.H-2), alone)
		return a.st.Frame(style.Frame{Tabs: d.Tabs(r.W - tabInset), Focused: a.panes.right}, body, r.W, r.H)
	}
	body := d.View(max(0, r.W-2), max(0, r.H-2))
	if p, ok := a.problemLeft(); ok && a.selected() == "" {
		lines := []string{""}
		for _, l := range a.problemLines(p, max(1, r.W-4)) {
			lines = append(lines, " "+l)
		}
		body = text.Fit(lines, max(0, r.W-2), max(0, r.H-2))
	}
	if q, ok := a.requestLeft(); ok {
		body = text.Fit(a.requests.Draw(max(1, r.W-4), max(1, r.H-2)), max(0, r.W-2), max(0, r.H-2))
		return a.st.Frame(style.Frame{Title: strings.ToLower(request.Title(&q)), Focused: a.panes.right}, body, r.W, r.H)
	}
	if b := a.panes.beside(); b != nil {
		f, lines := b.Draw(max(0, r.W-2), max(0, r.H-2), a.panes.right)
		f.Focused = a.panes.right
		return a.st.Frame(f, text.Fit(lines, max(0, r.W-2), max(0, r.H-2)), r.W, r.H)
	}
	return a.st.Frame(style.Frame{
		Tabs: d.Tabs(r.W - tabInset), Focused: a.panes.right, Scroll: d.Scroll(),
	}, body, r.W, r.H)
}

// tabInset is what the border takes of the row of tabs.
const tabInset = 6

// clickRight acts on a click inside the detail, counted from its corner.
func (a *App) clickRight(x, y int) tea.Cmd {
	a.focus(true)
	r := a.screen.Layout.Right
	if p := a.panes.pane(); p != nil {
		opens, cmd := p.Click(x, y, r.W, r.H)
		if opens {
			return a.openHere()
		}
		return cmd
	}
	if y == 0 {
		if t, ok := a.panes.detail.TabAt(x-3, r.W-tabInset); ok {
			return a.showTab(t)
		}
		return nil
	}
	if x == 0 || x >= r.W-1 || y >= r.H-1 {
		return nil
	}
	hit, again := a.panes.detail.Click(x-1, y-1)
	if hit == detail.HitLink || hit == detail.HitItem && again {
		return a.openHere()
	}
	return nil
}

// showTab goes to a tab of the detail.
func (a *App) showTab(t detail.Tab) tea.Cmd {
	if a.find.in == view.Searcher(a.panes.detail) {
		a.find.end()
	}
	a.panes.detail.Show(t)
	a.panes.aside = a.panes.view == viewInbox // it is the task that is asked for
	a.panes.tell(view.Aside{})
	a.relayout()
	return a.onTab()
}

func (a *App) nextTab(n int) tea.Cmd {
	if p := a.panes.pane(); p != nil {
		return p.Tab(n)
	}
	return a.showTab((a.panes.detail.Tab() + detail.Tab(n) + detail.NumTabs) % detail.NumTabs)
}

// openHere opens what the cursor of the detail is on: a task, an event, a result file.
func (a *App) openHere() tea.Cmd {
	if p := a.panes.pane(); p != nil {
		if cmd, ok := p.Open(); ok {
			return cmd
		}
		return a.toggleZoom()
	}
	if uid, ok := a.panes.detail.Link(); ok {
		return a.goTo(uid)
	}
	if id, ok := a.panes.detail.Request(); ok {
		return a.requests.Open(id)
	}
	switch c, d := a.onNote(); {
	case d != nil && a.noComment() == "":
		return a.composeComment(a.selected(), *d, "")
	case c != nil:
		a.panes.detail.FoldNote()
		return nil
	}
	if id, ok := a.panes.detail.Run(); ok {
		return a.panes.runs.Open(id)
	}
	if a.panes.detail.Open() {
		return a.onTab()
	}
	return a.toggleZoom()
}

// showTalk hands the detail the comments on what it shows, and the drafts.
func (a *App) showTalk() {
	if s := a.sheet; s != nil {
		a.panes.detail.SetReview(s.UID, s.Review, a.typed.Of(s.UID), s.Errs.Review)
	}
}

// setSheet hands the detail what has been read.
func (p *panes) setSheet(s *taskdocs.Docs) {
	p.detail.SetParsed(s.Parsed)
	p.detail.SetContent(s.UID, model.Objective, s.Objective, s.Errs.Objective)
	p.detail.SetContent(s.UID, model.Plan, s.Plan, s.Errs.Plan)
	p.detail.SetHistory(s.UID, s.History, s.Problems, s.Errs.History)
	p.detail.SetResults(s.UID, s.Results, s.Errs.Results)
	p.detail.SetRuns(s.UID, s.Runs, s.ReportOf, s.Report, s.Errs.Runs)
	if s.Errs.Results == nil {
		p.detail.SetSummary(s.UID, s.Summary, s.Summarized)
	}
}

// onTab reads what the tab on screen needs beyond the sheet: the result file that is open, the
// texts that an unfolded event is about.
func (a *App) onTab() tea.Cmd {
	if a.sheet == nil {
		return nil
	}
	if t := a.panes.detail.Tab(); t != detail.Result && t != detail.History {
		return tea.Batch(a.drawAhead(), a.scheduled.find())
	}
	var changes []model.DocRevision
	for _, n := range a.panes.detail.Needs() {
		switch {
		case n.UID != a.sheet.UID:
		case n.Kind == detail.NeedFile:
			return a.fx.resultFile(n.UID, n.Path, false)
		case n.Kind == detail.NeedChange:
			changes = append(changes, n.Revision)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return a.fx.changes(a.sheet.UID, changes)
}

func (a *App) onResultFile(m resultFileMsg) tea.Cmd {
	if m.uid != a.followed || a.sheet == nil {
		return nil
	}
	if m.edit {
		return a.readOutside(m)
	}
	var size int64
	for _, f := range a.sheet.Results {
		if f.Path == m.path {
			size = f.Size
		}
	}
	if errors.Is(m.err, model.ErrNoContent) {
		m.err = errors.New("the file is gone")
	}
	a.panes.detail.SetFile(m.uid, m.path, m.body, m.parsed, size, m.err)
	return nil
}

// shownDoc is the document that the detail shows, if it shows one.
func (a *App) shownDoc() (model.Doc, bool) {
	switch a.panes.detail.Tab() {
	case detail.Objective:
		return model.Objective, true
	case detail.Plan:
		return model.Plan, true
	}
	return "", false
}

// label is how the key of an action is written. Without one that works here it is what to choose from the palette,
// ":contents"; "" where that has none either.
func (a *App) label(action string) string {
	k := a.deps.Keymap
	spec, ok := k.Spec(keymap.Action(action))
	label := k.Label(spec.Action)
	if v := slices.IndexFunc(a.panes.lefts[:], func(l left) bool { return l.tab == spec.Action }); v >= 0 {
		label = a.viewKey(leftView(v))
	}
	if label != "" && a.keyIs(keymap.ChainFor(a.panes.scope()), spec) || !ok || spec.Hidden {
		return label
	}
	if label = k.Label(keymap.Palette); label != "" && label != ":" {
		label += " "
	}
	if label != "" {
		label += spec.Title
	}
	return label
}

// keyIs reports whether the first key of an action does that in these scopes, or elsewhere but nothing else in them.
func (a *App) keyIs(scopes []keymap.Scope, spec keymap.Spec) bool {
	if len(spec.Keys) == 0 {
		return true
	}
	steps := strings.Fields(spec.Keys[0])
	does, _, ok := a.deps.Keymap.Resolve(scopes, steps[:len(steps)-1], steps[len(steps)-1])
	if !ok {
		return spec.Keyed == nil
	}
	return does == spec.Action
}

// heading goes to another heading of the text on the right.
func (a *App) heading(d int) tea.Cmd {
	if a.panes.detail.NextHeading(d) {
		return nil
	}
	if d > 0 {
		return a.remark("no heading below")
	}
	return a.remark("no heading above")
}

// nextPlace goes to the next change or comment of the text on screen, or to a heading where there is none.
func (a *App) nextPlace(n int) tea.Cmd {
	if a.panes.detail.NextPlace(n) {
		return nil
	}
	return a.heading(n)
}
