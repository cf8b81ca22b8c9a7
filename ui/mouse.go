package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/dialog"
	"vespe/ui/panes"
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
		return a.frame.dialogMouse(d, m)
	}
	switch m.(type) {
	case tea.MouseWheelMsg:
		return a.frame.onWheel(at)
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

func (f *frame) onWheel(at tea.Mouse) tea.Cmd {
	by := wheelRows
	switch at.Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		by = -by
	case tea.MouseWheelLeft, tea.MouseWheelRight:
		if at.Button == tea.MouseWheelLeft {
			by = -by
		}
		if f.screen.Layout.Left.Contains(at.X, at.Y) {
			return f.overLeft(at, view.Sideways, by)
		}
		return nil
	default:
		return nil
	}
	l := f.screen.Layout
	switch {
	case l.Left.Contains(at.X, at.Y):
		return f.overLeft(at, view.Wheel, by)
	case l.Right.Contains(at.X, at.Y):
		f.panes.RightPane().Wheel(by)
	}
	return nil
}

// overLeft hands the wheel to the view on screen.
func (f *frame) overLeft(at tea.Mouse, did view.MouseDid, by int) tea.Cmd {
	l := f.screen.Layout.Left
	_, cmd := f.panes.Shown().Mouse(view.Mouse{X: at.X - l.X - 1, Y: at.Y - l.Y - 1, Did: did, By: by})
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
		return a.frame.clickLeft(at.X-l.Left.X, at.Y-l.Left.Y)
	case l.Right.Contains(at.X, at.Y):
		return a.nav.clickRight(at.X-l.Right.X, at.Y-l.Right.Y)
	case l.Footer.Contains(at.X, at.Y):
		return a.clickFooter(at.X, at.Y-l.Footer.Y)
	}
	return nil
}

// clickLeft acts on a click inside the left pane, counted from its corner.
func (f *frame) clickLeft(x, y int) tea.Cmd {
	f.nav.focus(false)
	if y == 0 {
		for _, t := range f.leftTabs(f.titleRoom(f.screen.Layout.Left.W)) {
			if x-3 >= t.from && x-3 < t.to {
				return f.nav.show(t.view)
			}
		}
		return nil
	}
	x, y = x-1, y-1
	if y >= f.screen.Layout.Left.H-2 || x < 0 {
		return nil
	}
	before := f.selected()
	was, _ := f.request()
	row, cmd := f.panes.Shown().Mouse(view.Mouse{X: x, Y: y})
	switch is, onRequest := f.request(); { // a second click opens
	case row && onRequest && is.ID == was.ID:
		return f.requests.Open(is.ID)
	case row && !onRequest && before != "" && before == f.selected():
		f.nav.focus(true)
	}
	return tea.Batch(f.nav.onMoved(), cmd)
}

// viewSpan is where a view's name lies in the left title.
type viewSpan struct {
	view     panes.View
	from, to int
	short    bool // by its key alone; of the view on screen without its layout
}

// titleRoom is how many cells the names of the views have in the title of a pane of w: what the
// view itself says stands beside them where the keys of the views leave room for it.
func (f *frame) titleRoom(w int) int {
	title, _ := f.panes.Says()
	all, extra := w-6, text.Width(title)
	beside := all - extra - 4
	_, named := f.placed(1, len(f.titled()), beside)
	_, unnamed := f.placed(1, len(f.titled()), all)
	if extra > 0 && (named || !unnamed && beside >= text.Width(f.viewTab(f.panes.TabOf(f.panes.View), true))+3*len(f.titled())) {
		return beside
	}
	return all
}

// placed are the places of the views' names, gap cells apart, and whether they fit into w: the first named with their names and
// the inbox, the others with their keys. The layout on screen is named where all are, and one more.
func (f *frame) placed(gap, named, w int) (out []viewSpan, fits bool) {
	x := 0
	for k, v := range f.titled() {
		short := k >= named && (v != panes.Inbox || named < 0)
		if v == f.panes.TabOf(f.panes.View) {
			short = named <= len(f.titled())
		}
		n := text.Width(f.viewTab(v, short))
		out = append(out, viewSpan{v, x, x + n, short})
		x += n + gap
	}
	return out, x-gap <= w
}

// leftTabs are the places of the views' names in w cells: all of them with the layout on screen, closer together if need be, else
// without the layout, else of those that are not on screen the first that fit and the inbox, with the keys of the others, else the
// keys, else the one on screen.
func (f *frame) leftTabs(w int) []viewSpan {
	all := len(f.titled()) + 1
	if out, fits := f.placed(2, all, w); fits {
		return out
	}
	for named := all; named >= -1; named-- {
		if out, fits := f.placed(1, named, w); fits {
			return out
		}
	}
	v := f.panes.TabOf(f.panes.View)
	return []viewSpan{{v, 0, text.Width(f.viewTab(v, true)), true}}
}

// clickFooter does the action of the hint under the mouse, or dismisses the failure.
func (a *App) clickFooter(x, y int) tea.Cmd {
	if y < a.screen.Layout.Footer.H-1 {
		if a.notices.Dismiss(a.deps.Now()) {
			a.relayout()
		}
		return nil
	}
	if len(a.chord) > 0 {
		return nil
	}
	for _, h := range a.frame.placedHints(a.screen.W) {
		if x >= h.from && x < h.to {
			return a.act(h.action)
		}
	}
	return nil
}

// dialogMouse hands the mouse to the overlay on top; a click beside it does nothing, so
// that nothing is lost by a stray click.
func (f *frame) dialogMouse(d dialog.Dialog, m tea.MouseMsg) tea.Cmd {
	w := d.Window()
	if w.Waits() {
		if _, ok := m.(tea.MouseClickMsg); ok {
			return f.dialogs.Hold(d)
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
		return f.dialogs.Settle(d, w.Box.Wheel(by))
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft && r.Contains(at.X, at.Y) {
			return f.dialogs.Settle(d, w.Box.Click(at.X-r.X, at.Y-r.Y))
		}
	}
	return nil
}
