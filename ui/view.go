package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/detail"
	"vespe/ui/text"
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
		if total := a.loading.gauge.total.Load(); total > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, int(100*a.loading.gauge.done.Load()/total))
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
	w, h := a.screen.w, a.screen.h
	if w <= 0 || h <= 0 {
		return nil
	}
	l := a.screen.layout
	if l.TooSmall {
		return tooSmall(w, h)
	}
	lines := make([]string, 0, h)
	lines = append(lines, a.header(w))
	lines = append(lines, a.body(l)...)
	lines = append(lines, a.footer(l.Footer)...)
	return a.drawDialogs(lines)
}

func tooSmall(w, h int) []string {
	msg := fmt.Sprintf("%d×%d is too small: vespe needs %d×%d", w, h, minWidth, minHeight)
	return text.Fit(text.Wrap(msg, w), w, h)
}

// body draws the panes in the rows between header and footer.
func (a *App) body(l layout) []string {
	left, right := a.drawLeft(l.Left), a.drawRight(l.Right)
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

// drawAhead draws the text on screen beyond the window once the keyboard has been still
// for a moment, so that a leap to its end costs no more than a line down.
func (a *App) drawAhead() tea.Cmd {
	a.ahead++
	a.undrawn.Store(false)
	if t := a.panes.detail.Tab(); t != detail.Objective && t != detail.Plan {
		return nil
	}
	a.undrawn.Store(true)
	return a.fx.idle(a.ahead, idleAfter)
}

// DrawsAhead reports whether some of the text on screen is still to be drawn ahead: for
// tests, from any goroutine.
func (a *App) DrawsAhead() bool { return a.undrawn.Load() }

func (a *App) onIdle(m idleMsg) tea.Cmd {
	if m.gen != a.ahead {
		return nil
	}
	ahead := a.panes.detail.Prerender
	if c := a.changesetOpen(); c != nil {
		ahead = c.page.Prerender
	}
	more := ahead(aheadParts)
	a.undrawn.Store(more)
	if !more {
		return nil
	}
	return a.fx.idle(a.ahead, idleStep)
}
