package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/feed"
	"vespe/ui/inbox"
	"vespe/ui/outline"
	"vespe/ui/runview"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// panes are the views on the left and the detail on the right.
type panes struct {
	stand
	tree    *outline.Outline
	inbox   *inbox.Inbox
	history *feed.View
	runs    *runview.View
	lefts   [views]left
	detail  *detail.Detail
	view    leftView
	right   bool // the detail has the focus
	snap    *snapshot.Snapshot
	test    func(s *snapshot.Snapshot, i int) bool
}

// stand is what the panes remember of where the person is.
type stand struct {
	last    [views]leftView // the layout that a view with several had last; 0: none yet
	chosen  bool            // a view was asked for, or that of the start is known
	staying bool            // nothing that happens now takes the cursor off its task
	advance bool            // what happens now is a verdict: the cursor goes to the next item
	aside   bool            // the right pane shows the task of a run or of a request, and not that
	item    inbox.Key       // of the inbox, that the right pane shows
	tab     detail.Tab      // that was on screen before the inbox chose one
	keyAt   time.Time       // of the last key
	rested  bool            // no key came in the moment before it
	other   model.Name      // what was done last, where that was no decision
}

func newPanes(st *style.Styles) panes {
	return panes{
		tree: outline.New(st), inbox: inbox.New(st), detail: detail.New(st),
	}
}

// shown is the view on screen.
func (p *panes) shown() *left { return &p.lefts[p.view] }

// left are its rows.
func (p *panes) left() view.List { return p.shown().List() }

// beside is what the view on screen shows on the right; nil for the task.
func (p *panes) beside() view.Beside {
	if p.snap == nil {
		return nil
	}
	return p.shown().Beside()
}

// pane is beside, where that has the keys.
func (p *panes) pane() view.Pane {
	b, _ := p.beside().(view.Pane)
	return b
}

// tell tells all views the news. Changed says that something on screen has.
func (p *panes) tell(msg any) (tea.Cmd, view.Heard) {
	var cmds []tea.Cmd
	all := view.Ignored
	for _, v := range p.lefts {
		cmd, heard := v.Hear(msg)
		cmds, all = append(cmds, cmd), max(all, heard)
	}
	return tea.Batch(cmds...), all
}

// rightPane is what the keys act on there.
func (p *panes) rightPane() interface {
	view.Scroller
	view.Searcher
} {
	if b := p.pane(); b != nil {
		return b
	}
	return p.detail
}

// focused is what the keys of moving act on.
func (p *panes) focused() view.Scroller {
	if p.right {
		return p.rightPane()
	}
	return p.left()
}

func (p *panes) searcher() view.Searcher {
	if p.right {
		return p.rightPane()
	}
	return p.left()
}

func (p *panes) scope() keymap.Scope {
	switch {
	case p.right && p.pane() != nil:
		return keymap.Run
	case p.right:
		return keymap.Detail
	}
	return p.lefts[p.view].scope
}

// setSnapshot hands a snapshot to the view on screen; the others get it when they are
// shown, so that a keypress never pays for what nobody sees.
func (p *panes) setSnapshot(s *snapshot.Snapshot) {
	p.snap = s
	p.refresh()
}

func (p *panes) refresh() { p.update(p.view) }

// update hands a view the newest snapshot, unless it has it.
func (p *panes) update(v leftView) {
	l := &p.lefts[v]
	if p.snap == nil || l.stamp == p.snap {
		return
	}
	l.stamp = p.snap
	p.inbox.SetStay(p.right && !p.advance || p.staying)
	l.List().SetSnapshot(p.snap)
}

// show changes the left view; the cursor stays on its task when the view has it. An inbox that does
// not have it begins at its top.
func (p *panes) show(v leftView) {
	uid, ok := p.left().Selected()
	other := p.view != v
	p.view = v
	if other {
		p.detail.Relabel()
	}
	p.last[p.tabOf(v)] = v
	p.left().SetFilter(p.test)
	p.refresh()
	if l, near := p.left().(interface{ Near(uid model.UID) }); near {
		if ok && other {
			l.Near(uid)
		}
	} else if (!ok || !p.left().Jump(uid)) && other && v == viewInbox {
		p.left().Home()
	}
	p.focus(p.right)
}

func (p *panes) focus(right bool) {
	p.right = right
	for v := range views {
		p.lefts[v].List().SetFocused(!right && v == p.view)
	}
	p.detail.SetFocused(right)
}

// setFilter shows what a filter selects; found is that of s, if it is known already.
func (p *panes) setFilter(f snapshot.Filter, s *snapshot.Snapshot, found []int32) {
	p.test = nil
	if !f.Empty() {
		c := &chosen{filter: f}
		if s != nil {
			c.set(s, found)
		}
		p.test = c.has
	}
	p.left().SetFilter(p.test)
}

// chosen is what a filter selects of the snapshot that it was last asked about: all of it is
// found at once, and not again for every pane and task.
type chosen struct {
	filter snapshot.Filter
	of     *snapshot.Snapshot
	tasks  []bool
}

func (c *chosen) has(s *snapshot.Snapshot, i int) bool {
	if c.of != s {
		c.set(s, s.Select(c.filter))
	}
	return c.tasks[i]
}

func (c *chosen) set(s *snapshot.Snapshot, found []int32) {
	c.of, c.tasks = s, make([]bool, s.Len())
	for _, k := range found {
		c.tasks[k] = true
	}
}

func (p *panes) setStyles(st *style.Styles) {
	for v := range views {
		p.lefts[v].List().SetStyles(st)
	}
	p.detail.SetStyles(st)
	p.tell(view.Styled{Styles: st})
}

// setUnmatched says in the views what a filter that nothing passes leaves.
func (n *navigator) setUnmatched(typed string) {
	lines := []string{"No task matches " + text.SafeLine(typed)}
	if hint := n.keyHint(keymap.Back, "clears the filter"); hint != "" {
		lines = append(lines, hint)
	}
	for v := range views {
		n.panes.lefts[v].List().SetUnmatched(lines...)
	}
}

// setNow is the time that ages are counted from.
//
// It reports whether something in the inbox has expired.
func (p *panes) setNow(now time.Time) bool {
	for v := range views {
		if l, ok := p.lefts[v].List().(interface{ SetNow(t time.Time) }); ok {
			l.SetNow(now.Truncate(time.Minute))
		}
	}
	p.detail.SetNow(now)
	return p.inbox.SetClock(now)
}

// show changes the left view and gives it the focus.
func (n *navigator) show(v leftView) tea.Cmd {
	if n.find.in != nil && v != n.panes.view && !n.panes.right {
		n.find.end()
	}
	n.panes.show(v)
	n.panes.chosen = true
	n.focus(false)
	n.relayout()
	shown, _ := n.panes.shown().Hear(view.Shown{})
	return tea.Batch(n.onMoved(), shown)
}

// focus gives the left or the right pane the keys.
func (n *navigator) focus(right bool) {
	n.panes.focus(right)
	n.screen.Focus(right)
	n.relayout()
}

// open goes to the detail of the task under the cursor; there already, it zooms.
func (n *navigator) open() tea.Cmd {
	if n.panes.right {
		return n.openHere()
	}
	if cmd, ok := n.openItem(); ok {
		return cmd
	}
	n.focus(true)
	if t, ok := n.waitingTab(); ok && n.panes.detail.Tab() == detail.Overview {
		return n.showTab(t)
	}
	return nil
}

// waitingTab is the tab with what the item under the inbox's cursor waits to be read, and of an event
// the history that it is part of.
func (n *navigator) waitingTab() (detail.Tab, bool) {
	switch n.panes.view {
	case viewActivity:
		return detail.History, true
	case viewInbox:
	default:
		return 0, false
	}
	item, ok := n.panes.inbox.Item()
	if !ok {
		return 0, false
	}
	switch item.Kind {
	case snapshot.InboxPlan, snapshot.InboxDeferred, snapshot.InboxAsked, snapshot.InboxElsewhere:
		return detail.Plan, true
	case snapshot.InboxWork:
		return detail.Result, true
	}
	return detail.Overview, true
}

func (n *navigator) toggleZoom() tea.Cmd {
	n.screen.ToggleZoom(n.panes.right)
	n.relayout()
	return nil
}

// relayout computes the rectangles again.
func (c *core) relayout() {
	l := c.panes.shown()
	c.screen.Arrange(screen.Input{Right: c.panes.right, Foot: c.root.footerRows(), Broad: l.broad, Tall: l.tall})
}

// drawLeft draws the left pane with its border; nil when it has no room.
func (f *frame) drawLeft(r screen.Rect) []string {
	if r.W == 0 || r.H == 0 {
		return nil
	}
	l := f.panes.left()
	box := style.Frame{Tabs: f.leftTitle(f.titleRoom(r.W)), Focused: !f.panes.right}
	if f.snap == nil {
		return f.st.Frame(box, f.unread(max(0, r.W-2), max(0, r.H-2), true), r.W, r.H)
	}
	body := l.View(max(0, r.W-2), max(0, r.H-2))
	box.Extra, _ = f.panes.says()
	box.Scroll = l.Scroll()
	return f.st.Frame(box, body, r.W, r.H)
}

// leftTitle lists the left views with their keys, the one on screen marked.
func (f *frame) leftTitle(w int) string {
	out, at := "", 0
	for _, t := range f.leftTabs(w) {
		out += f.st.Faint.Render(text.Spaces(t.from-at)) + f.viewTab(t.view, t.short)
		at = t.to
	}
	return out
}

// titled are the views that the title names; each stands for its layouts.
func (c *core) titled() (out []leftView) {
	for v := range views {
		if c.panes.lefts[v].tab != "" {
			out = append(out, v)
		}
	}
	return out
}

// viewKey is the key of a view: its own, or else its number.
func (c *core) viewKey(v leftView) string {
	own := c.deps.Keymap.Label(c.panes.lefts[v].tab)
	i := slices.Index(c.titled(), v)
	if keys := c.deps.Keymap.Keys(keymap.ViewNumber); own == "" && i >= 0 && i < len(keys) {
		return keymap.KeyLabel(keys[i])
	}
	return own
}

// viewByNumber shows the view whose number was pressed.
func (a *App) viewByNumber() tea.Cmd {
	views := a.titled()
	i := slices.Index(a.deps.Keymap.Keys(keymap.ViewNumber), a.lastKey)
	if i < 0 || i >= len(views) {
		return a.remark(fmt.Sprintf("there are only %d views", len(views)))
	}
	return a.showTabOf(views[i])
}

// viewTab is the key and the name of a view; of a short one that is not on screen the key alone. Where it has several
// layouts, the one on screen is named as well.
func (f *frame) viewTab(v leftView, short bool) string {
	here := v == f.panes.tabOf(f.panes.view)
	key := f.viewKey(v)
	if !f.panes.right && f.requests.Offers() {
		key = "" // a number chooses an option now
	}
	if short && !here && key != "" {
		return f.st.Tab.Render(key)
	}
	spec, _ := f.deps.Keymap.Spec(f.panes.lefts[v].tab)
	label := spec.Title
	if v == viewInbox && f.snap != nil {
		if n := f.snap.InboxLen(); n > 0 {
			label += " " + text.Count(n)
		}
	}
	if key != "" {
		key = f.st.Faint.Render(key) + " "
	}
	if !here {
		return key + f.st.Tab.Render(label)
	}
	tab := key + f.st.TabActive.Render(label)
	if v != f.panes.view {
		layout, _ := f.deps.Keymap.Spec(f.panes.lefts[f.panes.view].action)
		tab += f.st.Faint.Render(" " + layout.Title)
	}
	return tab
}
