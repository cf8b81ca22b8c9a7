package ui

import (
	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
)

// A question can open under somebody's fingers: it comes late, or its own key is a letter
// of a word that was meant for another window. So it takes no answer before there was no
// key, click or paste for a moment, each of which begins that moment anew, and it says that
// it waits. Only the ways out work at once.

// hold begins the moment in which a question takes no answer.
func (a *App) hold(d *dialog) tea.Cmd {
	a.chord = nil
	a.held++
	d.setWait(a.held)
	return a.fx.still(a.held)
}

func (a *App) onStill(m stillMsg) tea.Cmd {
	for _, d := range a.dialogs {
		if d.wait == m.gen {
			d.setWait(0)
		}
	}
	return nil
}

func (d *dialog) setWait(gen int) {
	d.wait = gen
	if box, ok := d.box.(*overlay.Confirm); ok {
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

// holdsBack reports whether an action of the question on top would not be taken yet.
func (a *App) holdsBack(action keymap.Action) bool {
	d := a.top()
	if d != nil && d.ask != nil {
		spec, _ := a.deps.Keymap.Spec(action)
		return spec.Transition == string(model.AnswerRequest) && a.isFresh(d.ask)
	}
	if d == nil || action == keymap.ConfirmNo {
		return false
	}
	if box, ok := d.box.(*overlay.Confirm); ok && box.Voided() && (action == keymap.ConfirmYes || action == keymap.ConfirmSure || action == keymap.ConfirmNotes) {
		return true
	}
	return d.wait != 0
}
