package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/dialog"
	"vespe/ui/text"
	"vespe/ui/view"
)

// wheelRows is how far one notch of the wheel scrolls.
const wheelRows = 3

// onMouse takes what the mouse does: clicks focus and act on what they hit, the wheel
// scrolls what lies under it, and the border between the panes can be dragged.
func (a *App) onMouse(m tea.MouseMsg) tea.Cmd {
	if a.screen.Layout.TooSmall {
		return nil
	}
	if _, ok := m.(tea.MouseClickMsg); ok {
		return tea.Batch(a.withdraw(), a.pointed(m))
	}
	return a.pointed(m)
}

func (a *App) pointed(m tea.MouseMsg) tea.Cmd {
	at := m.Mouse()
	a.chord = nil
	if d := a.dialogs.Top(); d != nil {
		return a.dialogMouse(d, m)
	}
	switch m.(type) {
	case tea.MouseWheelMsg:
		return a.onWheel(at)
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			return a.onClick(at)
		}
	case tea.MouseMotionMsg:
		if a.screen.Drag(at.X, at.Y) {
			a.relayout()
		}
	case tea.MouseReleaseMsg:
		a.screen.Drop()
	}
	return nil
}

func (a *App) onWheel(at tea.Mouse) tea.Cmd {
	by := wheelRows
	switch at.Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		by = -by
	case tea.MouseWheelLeft, tea.MouseWheelRight:
		if at.Button == tea.MouseWheelLeft {
			by = -by
		}
		if a.screen.Layout.Left.Contains(at.X, at.Y) {
			return a.overLeft(at, view.Sideways, by)
		}
		return nil
	default:
		return nil
	}
	l := a.screen.Layout
	switch {
	case l.Left.Contains(at.X, at.Y):
		return a.overLeft(at, view.Wheel, by)
	case l.Right.Contains(at.X, at.Y):
		a.panes.rightPane().Wheel(by)
	}
	return nil
}

// overLeft hands the wheel to the view on screen.
func (a *App) overLeft(at tea.Mouse, did view.MouseDid, by int) tea.Cmd {
	l := a.screen.Layout.Left
	_, cmd := a.panes.shown().Mouse(view.Mouse{X: at.X - l.X - 1, Y: at.Y - l.Y - 1, Did: did, By: by})
	return cmd
}

func (a *App) onClick(at tea.Mouse) tea.Cmd {
	l := a.screen.Layout
	if l.Left.Contains(at.X, at.Y) || l.Right.Contains(at.X, at.Y) {
		defer a.readFailures(a.notices.Last)
	}
	switch {
	case l.OnDivider(at.X, at.Y):
		a.screen.Grab(at)
	case l.Left.Contains(at.X, at.Y):
		return a.clickLeft(at.X-l.Left.X, at.Y-l.Left.Y)
	case l.Right.Contains(at.X, at.Y):
		return a.clickRight(at.X-l.Right.X, at.Y-l.Right.Y)
	case l.Footer.Contains(at.X, at.Y):
		return a.clickFooter(at.X, at.Y-l.Footer.Y)
	}
	return nil
}

// clickLeft acts on a click inside the left pane, counted from its corner.
func (a *App) clickLeft(x, y int) tea.Cmd {
	a.focus(false)
	if y == 0 {
		for _, t := range a.leftTabs(a.titleRoom(a.screen.Layout.Left.W)) {
			if x-3 >= t.from && x-3 < t.to {
				return a.show(t.view)
			}
		}
		return nil
	}
	x, y = x-1, y-1
	if y >= a.screen.Layout.Left.H-2 || x < 0 {
		return nil
	}
	before := a.selected()
	was, _ := a.request()
	row, cmd := a.panes.shown().Mouse(view.Mouse{X: x, Y: y})
	switch is, onRequest := a.request(); { // a second click opens
	case row && onRequest && is.ID == was.ID:
		return a.requests.Open(is.ID)
	case row && !onRequest && before != "" && before == a.selected():
		a.focus(true)
	}
	return tea.Batch(a.onMoved(), cmd)
}

// viewSpan is where a view's name lies in the left title.
type viewSpan struct {
	view     leftView
	from, to int
	short    bool // by its key alone
}

// titleRoom is how many cells the names of the views have in the title of a pane of w: what the
// view itself says stands beside them where the keys of the views leave room for it.
func (a *App) titleRoom(w int) int {
	title, _ := a.panes.says()
	all, extra := w-6, text.Width(title)
	beside := all - extra - 4
	_, named := a.placed(1, len(a.titled()), beside)
	_, unnamed := a.placed(1, len(a.titled()), all)
	if extra > 0 && (named || !unnamed && beside >= text.Width(a.viewTab(a.panes.tabOf(a.panes.view), false))+3*len(a.titled())) {
		return beside
	}
	return all
}

// placed are the places of the views' names, gap cells apart, and whether they fit into w: the first named with their names and
// the inbox, the others with their keys.
func (a *App) placed(gap, named, w int) (out []viewSpan, fits bool) {
	x := 0
	for k, v := range a.titled() {
		short := k >= named && (v != viewInbox || named < 0)
		n := text.Width(a.viewTab(v, short))
		out = append(out, viewSpan{v, x, x + n, short})
		x += n + gap
	}
	return out, x-gap <= w
}

// leftTabs are the places of the views' names in w cells: all of them, closer together if need be, else of those that are not
// on screen the first that fit and the inbox, with the keys of the others, else the keys, else the one on screen.
func (a *App) leftTabs(w int) []viewSpan {
	all := len(a.titled())
	if out, fits := a.placed(2, all, w); fits {
		return out
	}
	for named := all; named >= -1; named-- {
		if out, fits := a.placed(1, named, w); fits {
			return out
		}
	}
	v := a.panes.tabOf(a.panes.view)
	return []viewSpan{{v, 0, text.Width(a.viewTab(v, false)), false}}
}

// clickFooter does the action of the hint under the mouse, or dismisses the failure.
func (a *App) clickFooter(x, y int) tea.Cmd {
	if y < a.screen.Layout.Footer.H-1 {
		if a.notices.Dismiss() {
			a.relayout()
		}
		return nil
	}
	if len(a.chord) > 0 {
		return nil
	}
	for _, h := range a.placedHints(a.screen.W) {
		if x >= h.from && x < h.to {
			return a.act(h.action)
		}
	}
	return nil
}

// dialogMouse hands the mouse to the overlay on top; a click beside it does nothing, so
// that nothing is lost by a stray click.
func (a *App) dialogMouse(d dialog.Dialog, m tea.MouseMsg) tea.Cmd {
	w := d.Window()
	if w.Waits() {
		if _, ok := m.(tea.MouseClickMsg); ok {
			return a.dialogs.Hold(d)
		}
		return nil
	}
	at := m.Mouse()
	r := d.Place()
	switch m.(type) {
	case tea.MouseWheelMsg:
		by := wheelRows
		if at.Button == tea.MouseWheelUp {
			by = -by
		}
		return a.dialogs.Settle(d, w.Box.Wheel(by))
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && r.Contains(at.X, at.Y) {
			return a.dialogs.Settle(d, w.Box.Click(at.X-r.X, at.Y-r.Y))
		}
	}
	return nil
}
