package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// headed is a plan with a lot of text under each heading.
func headed(s *uitest.Small) {
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "## Part %d\n\n%s", i+1, strings.Repeat("A step of it.\n\n", 30))
	}
	s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: b.String()}})
}

// What has been on screen is told above the text and beside its headings, and is remembered while
// another task is looked at.
func TestReadingProgress(t *testing.T) {
	s := uitest.NewSmall()
	headed(s)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("9% read").Press(keymap.MoveBottom).See("18% read")
		d.Palette(keymap.Contents).See("18% of the plan read", "line 1  0%  54% read", "line 125  33%  not read").Press(keymap.PickerCancel)
		d.Press(keymap.FocusNext)
		goTo(d, "grammar notes")
		d.Press(keymap.ViewTree)
		goTo(d, "lexer tokens")
		d.See("18% read").Press(keymap.FocusNext, keymap.MoveTop)
		for range 12 {
			d.Press(keymap.MovePageDown)
		}
		d.See("all read").Palette(keymap.Contents).See("100% of the plan read").Hidden("not read", "% read")
	})
}
