package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/ui/detail"
)

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
