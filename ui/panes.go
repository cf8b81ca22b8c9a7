package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model/snapshot"
	"vespe/ui/detail"
	"vespe/ui/panes"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/text"
	"vespe/ui/view"
)

// show changes the left view and gives it the focus.
func (n *navigator) show(v panes.View) tea.Cmd {
	if n.find.Searching() && v != n.panes.View && !n.panes.Right {
		n.find.End()
	}
	n.panes.Show(v)
	n.panes.Chosen, n.trail.page = true, nil
	n.focus(false)
	n.relayout()
	shown, _ := n.panes.Shown().Hear(view.Shown{})
	return tea.Batch(n.onMoved(), shown)
}

// focus gives the left or the right pane the keys.
func (n *navigator) focus(right bool) {
	n.panes.Focus(right)
	n.screen.Focus(right)
	n.relayout()
}

// otherPane gives the keys to the other pane.
func (n *navigator) otherPane() tea.Cmd {
	if q, ok := n.requestLeft(); ok { // it has no cursor, and its keys are those of the list
		return n.requests.Open(q.ID)
	}
	n.focus(!n.panes.Right)
	return nil
}

// open goes to the detail of the task under the cursor; there already, it zooms.
func (n *navigator) open() tea.Cmd {
	if n.panes.Right {
		return n.openHere()
	}
	if cmd, ok := n.openItem(); ok {
		return cmd
	}
	n.focus(true)
	if t, ok := n.waitingTab(); ok && n.panes.Detail.Tab() == detail.Overview {
		return n.showTab(t)
	}
	return nil
}

// waitingTab is the tab with what the item under the inbox's cursor waits to be read, and of an event
// the history that it is part of.
func (n *navigator) waitingTab() (detail.Tab, bool) {
	switch n.panes.View {
	case panes.History:
		return detail.History, true
	case panes.Inbox:
	default:
		return 0, false
	}
	item, ok := n.panes.Inbox.Item()
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
	n.screen.ToggleZoom(n.panes.Right)
	n.relayout()
	return nil
}

// relayout computes the rectangles again.
func (c *core) relayout() {
	l := c.panes.Shown()
	c.screen.Arrange(screen.Input{Right: c.panes.Right, Foot: c.root.footerRows(), Broad: l.Broad, Tall: l.Tall})
}

// drawLeft draws the left pane with its border; nil when it has no room.
func (f *frame) drawLeft(r screen.Rect) []string {
	if r.W == 0 || r.H == 0 {
		return nil
	}
	l := f.panes.Left()
	box := style.Frame{Tabs: f.leftTitle(f.titleRoom(r.W)), Focused: !f.panes.Right}
	if f.snap == nil {
		return f.st.Frame(box, f.unread(max(0, r.W-2), max(0, r.H-2), true), r.W, r.H)
	}
	body := l.View(max(0, r.W-2), max(0, r.H-2))
	box.Extra, _ = f.panes.Says()
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
func (c *core) titled() (out []panes.View) {
	for v := range panes.Count {
		if c.panes.Lefts[v].Tab != "" {
			out = append(out, v)
		}
	}
	return out
}

// viewKey is the key of a view: its own, or else its number.
func (c *core) viewKey(v panes.View) string {
	own := c.deps.Keymap.Label(c.panes.Lefts[v].Tab)
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
// layouts, the one on screen is named as well, unless it is short.
func (f *frame) viewTab(v panes.View, short bool) string {
	here := v == f.panes.TabOf(f.panes.View)
	key := f.viewKey(v)
	if !f.panes.Right && f.requests.Offers() {
		key = "" // a number chooses an option now
	}
	if short && !here && key != "" {
		return f.st.Tab.Render(key)
	}
	spec, _ := f.deps.Keymap.Spec(f.panes.Lefts[v].Tab)
	label := spec.Title
	if v == panes.Inbox && f.snap != nil {
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
	if v != f.panes.View && !short {
		layout, _ := f.deps.Keymap.Spec(f.panes.Lefts[f.panes.View].Action)
		tab += f.st.Faint.Render(" " + layout.Title)
	}
	return tab
}
