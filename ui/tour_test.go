package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// toured is a store with a request, a plan and finished work, and two plans more.
func toured() *asking {
	s := ask(action())
	s.Planned("second plan", "")
	s.Planned("third plan", "")
	return s
}

// The tour goes on as its steps are done, in their order. It begins and ends at any time.
func TestTheTour(t *testing.T) {
	run(t, toured(), func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Tour).See("Tour 1 of 9", "This is the inbox")
		d.Press(keymap.MoveDown).See("Tour 2 of 9", "enter goes to the text")
		d.Press(keymap.Open).See("Tour 3 of 9", "c comments on the lines")
		d.Press(keymap.Back).See("Tour 4 of 9", "a accepts this")
		d.Sleep(time.Second).Press(keymap.Accept).See("Tour 4 of 9").Press(keymap.ConfirmYes).See("Tour 5 of 9", "u undoes the last decision")
		d.Press(keymap.Undo).See("Tour 6 of 9", "2 shows the tasks")
		d.Key("2").See("Tour 7 of 9", "v shows the tasks in another layout")
		d.Press(keymap.ViewLayout).See("Tour 8 of 9")
		d.Press(keymap.Palette, keymap.PickerCancel).See("Tour 9 of 9")
		d.Press(keymap.Help, keymap.PagerClose).Hidden("Tour").See("That was the tour.", "See it again with :")
		d.Press(keymap.Tour).See("Tour 1 of 9", "1 leads back to the inbox").Resize(80, 24).See("Tour 1 of 9").Press(keymap.Back).Hidden("Tour 1 of 9").See("You left the tour")
	})
}

// Each step waits for its deed. Keys that only look like it do not count, and a decision counts before it is asked for.
func TestTheTourCountsDeeds(t *testing.T) {
	run(t, toured(), func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Tour).See("Tour 1 of 9")
		d.Press(keymap.MoveUp).See("Tour 1 of 9").Press(keymap.Help, keymap.PagerClose).See("Tour 1 of 9") // it is at the top already
		d.Press(keymap.MoveDown).See("Tour 2 of 9").Press(keymap.MoveUp).See("Tour 2 of 9", "j and k go to a plan")
		d.Press(keymap.Open).See("esc close").Sleep(look).Press(keymap.RequestAccept).See("Tour 2 of 9", "Approved")
		d.Press(keymap.MoveDown).See("Tour 2 of 9").Key("2").See("Tour 2 of 9", "1 leads back to the inbox").Press(keymap.Open).See("Tour 2 of 9")
		d.Key("1").Press(keymap.Open).See("Tour 3 of 9")
		d.Press(keymap.Start).See("✗").Press(keymap.Back).See("Tour 3 of 9") // it dismisses the failure
		d.Press(keymap.Back).See("Tour 5 of 9").Press(keymap.Undo, keymap.ConfirmYes).See("Tour 6 of 9")
		d.Key("3").See("Tour 6 of 9").Press(keymap.ViewLayout).See("Tour 6 of 9")
		d.Key("2").See("Tour 7 of 9").Key("3").See("Tour 7 of 9", "2 leads back to the tasks").Press(keymap.ViewLayout).See("Tour 7 of 9")
		d.Key("2").Press(keymap.ViewLayout).See("Tour 8 of 9").Press(keymap.Help, keymap.PagerClose).See("Tour 8 of 9")
	})
}

// What does not wait here is not asked for.
func TestTheTourWithoutAPlan(t *testing.T) {
	s := &asking{Small: &uitest.Small{Store: uitest.NewStore()}}
	s.Task("idea for later", "")
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.Tour).See("Tour 6 of 9")
	})
	s.Must(model.Op{Name: model.Ask, Actor: uitest.Robot, ID: "ask-1", Args: action()})
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.Tour).See("Tour 1 of 9").Sleep(look).Press(keymap.RequestAccept).See("Tour 6 of 9")
	})
}

// A message of several lines stays together, next to the keys, with the tour above it.
func TestTheTourIsAboveAMessage(t *testing.T) {
	s := toured()
	for _, name := range []string{"one", "two", "three"} {
		s.Must(model.Op{Name: model.DeferPlan, UID: s.Planned("deferred "+name, ""), Actor: uitest.Ann})
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Tour, keymap.MoveDown, keymap.Reject).Type(strings.Repeat("not like this ", 4)).Press(keymap.ComposeSend)
		tour, said := lineOf(d, "Tour 2 of 9"), lineOf(d, "✓ ")
		if tour < 0 || said < tour || said < 21 {
			t.Errorf("the tour is in line %d, and the message in line %d:\n%s", tour, said, d.Screen())
		}
	})
}
