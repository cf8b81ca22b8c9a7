package ui

import (
	"slices"
	"testing"
	"time"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/dialog"
)

// Every action of the keymap does something, and nothing is handled that has no row.
func TestEveryActionIsDone(t *testing.T) {
	root, boxes := New(t.Context(), Deps{Keymap: keymap.Default(), Now: time.Now}).actions, dialog.Keys()
	own := []keymap.Action{ // of which a dialog has no key for its box
		keymap.SearchTexts, keymap.ComposePhrase,
		keymap.ConfirmDiff, keymap.ConfirmRead, keymap.ConfirmNotes, keymap.ConfirmReject, keymap.ConfirmParts,
	}
	known := map[keymap.Action]bool{}
	for _, s := range keymap.Actions() {
		known[s.Action] = true
		_, inRoot := root[s.Action]
		_, inBox := boxes[s.Action]
		if !inRoot && !inBox && !slices.Contains(own, s.Action) {
			t.Errorf("%s does nothing", s.Action)
		}
		for _, n := range s.Transitions() {
			if _, ok := lifecycle.Lookup(model.Name(n)); !ok {
				t.Errorf("%s fires %q, which is no transition", s.Action, n)
			}
		}
	}
	for a := range root {
		if !known[a] {
			t.Errorf("%s is handled but has no row in the keymap", a)
		}
	}
	for a := range boxes {
		if !known[a] {
			t.Errorf("%s is a dialog's but has no row in the keymap", a)
		}
	}
}

// Every transition that a person may fire has a key.
func TestEveryTransitionHasAKey(t *testing.T) {
	fired := map[model.Name]bool{}
	for _, s := range keymap.Actions() {
		for _, n := range s.Transitions() {
			fired[model.Name(n)] = true
		}
	}
	for _, row := range lifecycle.Table() {
		if row.Name == model.Ask {
			continue // it is what agents do; a person comments
		}
		if row.Who != model.WhoSystem && !fired[row.Name] {
			t.Errorf("%s has no key", row.Name)
		}
	}
}
