package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/detail"
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// drawRight draws the detail with its border; nil when it has no room.
func (f *frame) drawRight(r screen.Rect) []string {
	if r.W == 0 || r.H == 0 {
		return nil
	}
	d := f.panes.Detail
	if f.snap == nil {
		alone := f.screen.Layout.Left.W == 0
		body := f.unread(max(0, r.W-2), max(0, r.H-2), alone)
		return f.st.Frame(style.Frame{Tabs: d.Tabs(r.W - tabInset), Focused: f.panes.Right}, body, r.W, r.H)
	}
	body := d.View(max(0, r.W-2), max(0, r.H-2))
	if p, ok := f.problemLeft(); ok && f.selected() == "" {
		lines := []string{""}
		for _, l := range f.nav.problemLines(p, max(1, r.W-4)) {
			lines = append(lines, " "+l)
		}
		body = text.Fit(lines, max(0, r.W-2), max(0, r.H-2))
	}
	if q, ok := f.requestLeft(); ok {
		body = text.Fit(f.requests.Draw(max(1, r.W-4), max(1, r.H-2)), max(0, r.W-2), max(0, r.H-2))
		return f.st.Frame(style.Frame{Title: strings.ToLower(request.Title(&q)), Focused: f.panes.Right}, body, r.W, r.H)
	}
	if b := f.panes.Beside(); b != nil {
		box, lines := b.Draw(max(0, r.W-2), max(0, r.H-2), f.panes.Right)
		box.Focused = f.panes.Right
		return f.st.Frame(box, text.Fit(lines, max(0, r.W-2), max(0, r.H-2)), r.W, r.H)
	}
	return f.st.Frame(style.Frame{
		Tabs: d.Tabs(r.W - tabInset), Focused: f.panes.Right, Scroll: d.Scroll(),
	}, body, r.W, r.H)
}

// tabInset is what the border takes of the row of tabs.
const tabInset = 6

// clickRight acts on a click inside the detail, counted from its corner.
func (n *navigator) clickRight(x, y int) tea.Cmd {
	if q, ok := n.requestLeft(); ok {
		return n.requests.Open(q.ID)
	}
	n.focus(true)
	r := n.screen.Layout.Right
	if p := n.panes.Pane(); p != nil {
		opens, cmd := p.Click(x, y, r.W, r.H)
		if opens {
			return n.openHere()
		}
		return cmd
	}
	if y == 0 {
		if t, ok := n.panes.Detail.TabAt(x-3, r.W-tabInset); ok {
			return n.showTab(t)
		}
		return nil
	}
	if x == 0 || x >= r.W-1 || y >= r.H-1 {
		return nil
	}
	hit, again := n.panes.Detail.Click(x-1, y-1)
	if hit == detail.HitLink || hit == detail.HitItem && again {
		return n.openHere()
	}
	return nil
}

// showTab goes to a tab of the detail.
func (n *navigator) showTab(t detail.Tab) tea.Cmd {
	if n.find.In(n.panes.Detail) {
		n.find.End()
	}
	n.panes.Detail.Show(t)
	n.panes.Aside = n.panes.View == panes.Inbox // it is the task that is asked for
	n.panes.Tell(view.Aside{})
	n.relayout()
	return n.onTab()
}

func (n *navigator) nextTab(by int) tea.Cmd {
	if p := n.panes.Pane(); p != nil {
		return p.Tab(by)
	}
	return n.showTab((n.panes.Detail.Tab() + detail.Tab(by) + detail.NumTabs) % detail.NumTabs)
}

// openHere opens what the cursor of the detail is on: a task, an event, a result file.
func (n *navigator) openHere() tea.Cmd {
	if p := n.panes.Pane(); p != nil {
		if cmd, ok := p.Open(); ok {
			return cmd
		}
		return n.toggleZoom()
	}
	if uid, ok := n.panes.Detail.Link(); ok {
		return n.goTo(uid)
	}
	if id, ok := n.panes.Detail.Request(); ok {
		return n.requests.Open(id)
	}
	switch c, d := n.comments.onNote(); {
	case d != nil && n.comments.noComment() == "":
		return n.comments.composeComment(n.selected(), *d, "")
	case c != nil:
		n.panes.Detail.FoldNote()
		return nil
	}
	if id, ok := n.panes.Detail.Run(); ok {
		return n.panes.Runs.Open(id)
	}
	if n.panes.Detail.Open() {
		return n.onTab()
	}
	return n.toggleZoom()
}

// showTalk hands the detail the comments on what it shows, and the drafts.
func (cm *commenter) showTalk() {
	if s := cm.docs; s != nil {
		cm.panes.Detail.SetReview(s.UID, s.Review, cm.typed.Of(s.UID), s.Errs.Review)
	}
}

// onTab reads what the tab on screen needs beyond the documents: the result file that is open, the
// texts that an unfolded event is about.
func (n *navigator) onTab() tea.Cmd {
	if n.docs == nil {
		return nil
	}
	var drawn tea.Cmd
	if t := n.panes.Detail.Tab(); t != detail.Result && t != detail.History {
		drawn = tea.Batch(n.drawAhead(), n.whereabouts.Find())
	}
	var changes []model.DocRevision
	for _, need := range n.panes.Detail.Needs() {
		switch {
		case need.UID != n.docs.UID:
		case need.Kind == detail.NeedFile:
			return n.fx.resultFile(need.UID, need.Path, false)
		case need.Kind == detail.NeedChange:
			changes = append(changes, need.Revision)
		}
	}
	if len(changes) == 0 {
		return drawn
	}
	return tea.Batch(drawn, n.fx.changes(n.docs.UID, changes))
}

func (a *App) onResultFile(m resultFileMsg) tea.Cmd {
	if m.uid != a.nav.followed || a.docs == nil {
		return nil
	}
	if m.edit {
		return a.tasks.readOutside(m)
	}
	var size int64
	for _, f := range a.docs.Results {
		if f.Path == m.path {
			size = f.Size
		}
	}
	if errors.Is(m.err, model.ErrNoContent) {
		m.err = errors.New("the file is gone")
	}
	a.panes.Detail.SetFile(m.uid, m.path, m.body, m.parsed, size, m.err)
	return nil
}

// shownDoc is the document that the detail shows, if it shows one.
func (cm *commenter) shownDoc() (model.Doc, bool) {
	switch cm.panes.Detail.Tab() {
	case detail.Objective:
		return model.Objective, true
	case detail.Plan:
		return model.Plan, true
	}
	return "", false
}

// label is how the key of an action is written. Without one that works here it is what to choose from the palette,
// ":contents"; "" where that has none either.
func (c *core) label(action string) string {
	k := c.deps.Keymap
	spec, ok := k.Spec(keymap.Action(action))
	label := k.Label(spec.Action)
	if v := slices.IndexFunc(c.panes.Lefts[:], func(l panes.Left) bool { return l.Tab == spec.Action }); v >= 0 {
		label = c.viewKey(panes.View(v))
	}
	if label != "" && c.keyIs(keymap.ChainFor(c.panes.Scope()), spec) || !ok || spec.Hidden {
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
func (c *core) keyIs(scopes []keymap.Scope, spec keymap.Spec) bool {
	if len(spec.Keys) == 0 {
		return true
	}
	steps := strings.Fields(spec.Keys[0])
	does, _, ok := c.deps.Keymap.Resolve(scopes, steps[:len(steps)-1], steps[len(steps)-1])
	if !ok {
		return spec.Keyed == nil
	}
	return does == spec.Action
}

// nextGroup goes to the next group of the inbox, or to the day before in the history.
func (n *navigator) nextGroup(by int) tea.Cmd {
	if l, ok := n.panes.Left().(interface{ Group(d int) bool }); ok && l.Group(by) {
		return n.onMoved()
	}
	return n.remark("no group " + map[int]string{1: "below", -1: "above"}[by])
}

func (n *navigator) noGroup() string {
	if n.panes.View != panes.Inbox && n.panes.View != panes.History {
		return "only in the inbox and in the history"
	}
	return ""
}

// nextPlace goes to the next change or comment of the text on screen, or to a heading where there is none.
func (n *navigator) nextPlace(by int) tea.Cmd {
	switch {
	case n.panes.Detail.NextPlace(by):
		return nil
	case by > 0:
		return n.remark("no change, comment or heading below")
	}
	return n.remark("no change, comment or heading above")
}
