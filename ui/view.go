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

// View draws the frame: exactly as many lines as the terminal has rows, each exactly as
// wide as its columns.
func (a *App) View() tea.View {
	if a.drawn != nil {
		return *a.drawn
	}
	v := a.draw()
	a.drawn = &v
	a.drawings.Add(1)
	return v
}

// Drawn is how many frames have been built so far: for tests of what an idle program costs,
// from any goroutine.
func (a *App) Drawn() int { return int(a.drawings.Load()) }

func (a *App) draw() tea.View {
	content := strings.Join(a.frame(), "\n")
	if a.deps.ASCII { // also where a library or a file has one
		content = strings.ReplaceAll(content, "…", "~")
	}
	v := tea.NewView(content)
	v.AltScreen = true
	v.ReportFocus = true
	v.WindowTitle = a.windowTitle()
	if a.deps.Mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if a.loading.shown {
		if total := a.loading.gauge.Total.Load(); total > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, int(100*a.loading.gauge.Done.Load()/total))
		}
	}
	return v
}

func (a *App) windowTitle() string {
	title := "vespe " + text.SafeLine(a.deps.Name)
	if a.snap == nil {
		return title
	}
	if n := a.snap.InboxLen(); n > 0 {
		return fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}

// frame draws everything: header, panes, footer, and the overlays on top.
func (a *App) frame() []string {
	w, h := a.screen.W, a.screen.H
	if w <= 0 || h <= 0 {
		return nil
	}
	l := a.screen.Layout
	if l.TooSmall {
		msg := fmt.Sprintf("%d×%d is too small: vespe needs %d×%d", w, h, screen.MinWidth, screen.MinHeight)
		return text.Fit(text.Wrap(msg, w), w, h)
	}
	lines := make([]string, 0, h)
	lines = append(lines, a.header(w))
	lines = append(lines, a.body(l)...)
	lines = append(lines, a.footer(l.Footer)...)
	return a.dialogs.Draw(lines)
}

// body draws the panes in the rows between header and footer.
func (a *App) body(l screen.Layout) []string {
	right := a.drawRight(l.Right) // before the left one: a number chooses what is drawn there, and otherwise is a view's
	left := a.drawLeft(l.Left)
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

func (a *App) drawAhead() tea.Cmd {
	if t := a.panes.detail.Tab(); t != detail.Objective && t != detail.Plan {
		a.ahead.stop()
		return nil
	}
	return a.ahead.start()
}

// header is the top line: the store, where the cursor is, what narrows the view, and what
// waits for the person. What has to give way first is the path in the middle.
func (a *App) header(w int) string {
	st := a.st
	left := st.Accent.Render(" " + text.SafeLine(a.storeName()))
	right := a.counts()
	room := w - text.Width(left) - text.Width(right) - 4
	middle := ""
	switch {
	case a.loading.shown && a.snap != nil: // before that, the panes say so
		middle = a.progress(room)
	case room > 8:
		middle = a.where(room)
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

func (a *App) storeName() string {
	if a.snap != nil && a.snap.Policy().Name != "" {
		return a.snap.Policy().Name
	}
	return a.deps.Name
}

// counts says how many tasks there are and how many things wait for the person.
func (a *App) counts() string {
	st := a.st
	var parts []string
	if a.stale {
		parts = append(parts, st.Warn.Render("STALE"))
	}
	if a.deps.ReadOnly != "" {
		parts = append(parts, st.Warn.Render("READ ONLY"))
	}
	if n := len(a.jobs); n > 0 && len(a.pending()) > 0 {
		parts = append(parts, st.Info.Render("saving"+st.Glyph.Ellipsis))
	}
	if n := len(a.panes.tree.Marked()) + a.requests.Selected(); n > 0 {
		parts = append(parts, st.Accent.Render(fmt.Sprintf("%d selected", n)))
	}
	_, chosen := a.panes.says()
	for _, chip := range []string{a.find.chip(), chosen} {
		if chip != "" {
			parts = append(parts, st.Chip.Render(" "+chip+" "))
		}
	}
	if s := a.panes.runs.Chip(); s != "" {
		parts = append(parts, st.Info.Render(s))
	}
	if a.snap != nil {
		if n := a.snap.InboxLen(); n > 0 {
			parts = append(parts, st.Accent.Render("needs you "+text.Count(n)))
		}
		parts = append(parts, st.Muted.Render(plural(a.snap.Len(), "task")))
	}
	return strings.Join(parts, st.Faint.Render("  ")) + " "
}

// progress is the bar of a load that takes its time.
func (a *App) progress(room int) string {
	done, total := int(a.loading.gauge.Done.Load()), int(a.loading.gauge.Total.Load())
	if total <= 0 {
		return a.st.Muted.Render(text.Truncate("reading the store"+a.st.Glyph.Ellipsis, room))
	}
	label := fmt.Sprintf(" reading %s of %s", text.Count(done), text.Count(total))
	bar := min(30, room-text.Width(label))
	if bar < 5 {
		return a.st.Muted.Render(text.Truncate(strings.TrimSpace(label), room))
	}
	return a.st.Progress(done, total, bar) + a.st.Muted.Render(label)
}

// where is the path from the root of the tree to the selected task, shortened from the
// left: the task itself is what matters.
func (a *App) where(room int) string {
	if a.snap == nil {
		return ""
	}
	i, ok := a.snap.Index(a.selected())
	if !ok {
		return ""
	}
	sep := " " + a.st.Glyph.Crumb + " "
	path := text.SafeLine(a.name(a.snap.UID(i)))
	path = text.Truncate(path, room)
	width := text.Width(path)
	for p := a.snap.Parent(i); p >= 0; p = a.snap.Parent(int(p)) {
		name := text.SafeLine(a.name(a.snap.UID(int(p))))
		need := text.Width(name) + text.Width(sep)
		if width+need > room {
			if width+text.Width(sep)+1 <= room {
				path = a.st.Glyph.Ellipsis + sep + path
			}
			break
		}
		path, width = name+sep+path, width+need
	}
	return a.st.Muted.Render(path)
}

// Words as they are written all over the workbench.
func plural(n int, word string) string { return text.Plural(n, word) }
func capital(s string) string          { return text.Capital(s) }
func safeLine(s string) string         { return text.SafeLine(s) }
