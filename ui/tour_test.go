package ui_test

import (
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
)

// The tour goes on as its steps are done, one of which may be skipped. It begins and ends at any time.
func TestTheTour(t *testing.T) {
	s := uitest.NewStore()
	for _, name := range []string{"first plan", "second plan", "third plan"} {
		s.Planned(name, "")
	}
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.Tour).See("Tour 1 of 9", "This is the inbox")
		d.Press(keymap.MoveDown).See("Tour 2 of 9")
		d.Press(keymap.FocusNext).See("Tour 3 of 9").Press(keymap.Back).See("Tour 4 of 9", "Now decide: a accepts")
		d.Press(keymap.MoveUp).See("Tour 4 of 9") // that was before
		d.Sleep(time.Second).Press(keymap.Accept).See("Tour 4 of 9").Press(keymap.ConfirmYes).See("Tour 5 of 9", "u takes the last decision back")
		d.Key("2").See("Tour 7 of 9", "v shows them in another layout") // a step is skipped
		d.Press(keymap.ViewLayout).See("Tour 8 of 9")
		d.Press(keymap.Palette, keymap.PickerCancel).See("Tour 9 of 9")
		d.Press(keymap.Help, keymap.PagerClose).Hidden("Tour")
		d.Press(keymap.Tour).See("Tour 1 of 9").Resize(80, 24).See("Tour 1 of 9", "press : and").Press(keymap.Tour).Hidden("Tour")
	})
}
