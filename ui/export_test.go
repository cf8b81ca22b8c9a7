package ui

import "vespe/keymap"

// ViewActions are the actions that show the views of the left, so that what every view must do is asked of
// a new one, too.
func ViewActions() (out []keymap.Action) {
	for _, l := range leftViews() {
		out = append(out, l.Action)
	}
	return out
}

// DrawsAhead reports whether some of the text on screen is still to be drawn ahead, from any goroutine.
func (a *App) DrawsAhead() bool { return a.nav.ahead.more.Load() }
