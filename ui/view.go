package ui

import (
	"fmt"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/detail"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/view"
)

// frame draws the screen, and finds what lies under the mouse.
type frame struct {
	*core
	comments *commenter
	nav      *navigator
	loader   *loader
	decider  *decider

	drawn    *tea.View // the last one, while nothing has changed since
	drawings atomic.Int64
}

// view draws the screen: exactly as many lines as the terminal has rows, each exactly as
// wide as its columns.
func (f *frame) view() tea.View {
	if f.drawn != nil {
		return *f.drawn
	}
	v := f.draw()
	f.drawn = &v
	f.drawings.Add(1)
	return v
}

func (f *frame) draw() tea.View {
	content := strings.Join(f.lines(), "\n")
	if f.deps.ASCII { // also where a library or a file has one
		content = strings.ReplaceAll(content, "…", "~")
	}
	v := tea.NewView(content)
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = f.windowTitle()
	if f.deps.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if f.loading.shown {
		if total := f.loading.gauge.Total.Load(); total > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, int(100*f.loading.gauge.Done.Load()/total))
		}
	}
	return v
}

func (f *frame) windowTitle() string {
	title := "vespe " + text.SafeLine(f.deps.Name)
	if f.snap == nil {
		return title
	}
	if n := f.snap.InboxLen(); n > 0 {
		return fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}

// lines draws everything: header, panes, footer, and the overlays on top.
func (f *frame) lines() []string {
	w, h := f.screen.W, f.screen.H
	if w <= 0 || h <= 0 {
		return nil
	}
	l := f.screen.Layout
	if l.TooSmall {
		msg := fmt.Sprintf("%d×%d is too small: vespe needs %d×%d", w, h, screen.MinWidth, screen.MinHeight)
		return text.Fit(text.Wrap(msg, w), w, h)
	}
	lines := make([]string, 0, h)
	lines = append(lines, f.header(w))
	lines = append(lines, f.body(l)...)
	lines = append(lines, f.footer(l.Footer)...)
	return f.dialogs.Draw(lines)
}

// body draws the panes in the rows between header and footer.
func (f *frame) body(l screen.Layout) []string {
	right := f.drawRight(l.Right) // before the left one: a number chooses what is drawn there, and otherwise is a view's
	left := f.drawLeft(l.Left)
	switch {
	case left == nil:
		return right
	case right == nil:
		return left
	case l.Stacked:
		return append(left, right...)
	}
	return text.Columns(left, right)
}

// aheadParts is how many parts of a text are drawn ahead at once: few enough that a key
// pressed meanwhile waits for less than a frame.
const aheadParts = 8

// ahead draws the text on screen beyond the window once the keyboard has been still
// for a moment, so that a leap to its end costs no more than a line down.
type ahead struct {
	gen  int
	more atomic.Bool // some of it is not drawn yet
}

func (d *ahead) start() tea.Cmd {
	d.gen++
	d.more.Store(true)
	return view.After(idleAfter, idleMsg{d.gen})
}

func (d *ahead) stop() {
	d.gen++
	d.more.Store(false)
}

// step draws some more, as long as the text is still the one that it was begun with.
func (d *ahead) step(m idleMsg, draw func(parts int) (more bool)) tea.Cmd {
	if m.gen != d.gen {
		return nil
	}
	more := draw(aheadParts)
	if d.more.Store(more); !more {
		return nil
	}
	return view.After(idleStep, m)
}

func (n *navigator) drawAhead() tea.Cmd {
	if t := n.panes.Detail.Tab(); t != detail.Objective && t != detail.Plan {
		n.ahead.stop()
		return nil
	}
	return n.ahead.start()
}

// header is the top line: the store, where the cursor is, what narrows the view, and what
// waits for the person. What has to give way first is the path in the middle.
func (f *frame) header(w int) string {
	st := f.st
	left := st.Accent.Render(" " + text.SafeLine(f.storeName()))
	right := f.counts()
	room := w - text.Width(left) - text.Width(right) - 4
	middle := ""
	switch {
	case f.loading.shown && f.snap != nil: // before that, the panes say so
		middle = f.progress(room)
	case room > 8:
		middle = f.where(room)
	}
	line := left
	if middle != "" {
		line += "  " + middle
	}
	gap := w - text.Width(line) - text.Width(right)
	if gap < 1 {
		right = text.Truncate(right, max(0, w-text.Width(line)-1))
		gap = w - text.Width(line) - text.Width(right)
	}
	return text.Paint(line+text.Spaces(max(0, gap))+right, w, st.Bar.Open())
}

func (f *frame) storeName() string {
	if f.snap != nil && f.snap.Policy().Name != "" {
		return f.snap.Policy().Name
	}
	return f.deps.Name
}

// counts says how many tasks there are and how many things wait for the person.
func (f *frame) counts() string {
	st := f.st
	var parts []string
	if f.loader.stale {
		parts = append(parts, st.Warn.Render("STALE"))
	}
	if f.deps.ReadOnly != "" {
		parts = append(parts, st.Warn.Render("READ ONLY"))
	}
	if n := len(f.jobs.open); n > 0 && len(f.pending()) > 0 {
		parts = append(parts, st.Info.Render("saving"+st.Glyph.Ellipsis))
	}
	if n := len(f.panes.Tree.Marked()) + f.requests.Selected(); n > 0 {
		parts = append(parts, st.Accent.Render(fmt.Sprintf("%d selected", n)))
	}
	_, chosen := f.panes.Says()
	for _, chip := range []string{f.nav.find.Chip(), chosen} {
		if chip != "" {
			parts = append(parts, st.Chip.Render(" "+chip+" "))
		}
	}
	if s := f.panes.Runs.Chip(); s != "" {
		parts = append(parts, st.Info.Render(s))
	}
	if f.snap != nil {
		if n := f.snap.InboxLen(); n > 0 {
			parts = append(parts, st.Accent.Render("needs you "+text.Count(n)))
		}
		parts = append(parts, st.Muted.Render(text.Plural(f.snap.Len(), "task")))
	}
	return strings.Join(parts, st.Faint.Render("  ")) + " "
}

// progress is the bar of a load that takes its time.
func (f *frame) progress(room int) string {
	done, total := int(f.loading.gauge.Done.Load()), int(f.loading.gauge.Total.Load())
	if total <= 0 {
		return f.st.Muted.Render(text.Truncate("reading the store"+f.st.Glyph.Ellipsis, room))
	}
	label := fmt.Sprintf(" reading %s of %s", text.Count(done), text.Count(total))
	bar := min(30, room-text.Width(label))
	if bar < 5 {
		return f.st.Muted.Render(text.Truncate(strings.TrimSpace(label), room))
	}
	return f.st.Progress(done, total, bar) + f.st.Muted.Render(label)
}

// where is the path from the root of the tree to the selected task, shortened from the
// left: the task itself is what matters.
func (f *frame) where(room int) string {
	if f.snap == nil {
		return ""
	}
	i, ok := f.snap.Index(f.selected())
	if !ok {
		return ""
	}
	sep := " " + f.st.Glyph.Crumb + " "
	path := text.SafeLine(f.name(f.snap.UID(i)))
	path = text.Truncate(path, room)
	width := text.Width(path)
	for p := f.snap.Parent(i); p >= 0; p = f.snap.Parent(int(p)) {
		name := text.SafeLine(f.name(f.snap.UID(int(p))))
		need := text.Width(name) + text.Width(sep)
		if width+need > room {
			if width+text.Width(sep)+1 <= room {
				path = f.st.Glyph.Ellipsis + sep + path
			}
			break
		}
		path, width = name+sep+path, width+need
	}
	return f.st.Muted.Render(path)
}
