package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
)

// A question can open under somebody's fingers: it comes late, or its own key is a letter
// of a word that was meant for another window. So it takes no answer before there was no
// key, click or paste for a moment, each of which begins that moment anew, and it says that
// it waits. Only the ways out work at once.

// holder is a box that says that it takes no answer yet.
type holder interface{ Hold(on bool) }

func isQuestion(d Dialog) bool {
	_, ok := d.Window().box.(holder)
	return ok
}

// hold begins the moment in which a question takes no answer.
func (a *App) hold(d Dialog) tea.Cmd {
	a.chord = nil
	a.dialogs.held++
	d.Window().setWait(a.dialogs.held)
	return a.fx.still(a.dialogs.held)
}

func (a *App) onStill(m stillMsg) tea.Cmd {
	for _, d := range a.dialogs.list {
		if w := d.Window(); w.wait == m.gen {
			w.setWait(0)
		}
	}
	return nil
}

func (w *window) setWait(gen int) {
	w.wait = gen
	if box, ok := w.box.(holder); ok {
		box.Hold(gen != 0)
	}
}

// leaves reports whether a key that cannot be part of a word leaves a question.
func leaves(m tea.KeyPressMsg, action keymap.Action) bool {
	switch action {
	case keymap.ConfirmNo, keymap.Quit, keymap.Suspend:
		return m.Text == ""
	}
	return false
}
