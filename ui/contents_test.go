package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
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

// The headings stand beside the text where there is room, say where the reader is and what has been
// read, and are gone to with the mouse; a key sets them there and takes them away.
func TestContentsBesideTheText(t *testing.T) {
	s := uitest.NewSmall()
	headed(s)
	run := func(w int, ascii bool, f func(d *uitest.Driver)) {
		t.Helper()
		uitest.Run(t, uitest.Options{Store: s.Store, W: w, H: 40, Change: func(d *ui.Deps) { d.ASCII = ascii }}, f)
	}
	run(200, false, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Hidden("│   Part 5").Press(keymap.Zoom).See("│ · Part 1", "│   Part 5")
		d.Press(keymap.MovePageDown, keymap.MovePageDown).See("│ ✓ Part 1", "│   Part 5")
		x, y := d.Find("│   Part 5")
		d.Click(x+4, y).See("249 ", "│ · Part 5").Press(keymap.Comment).See("On line 249 of the plan: ## Part 5").Press(keymap.ComposeLeave)
		d.Press(keymap.ContentsPane).Hidden("│ · Part 5").Press(keymap.ContentsPane).See("│ · Part 5")
		d.Press(keymap.HeadingNext).See("│ · Part 6", "311 ").Press(keymap.Raw).See("│ · Part 6")
	})
	run(120, true, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Off(keymap.ContentsPane, "the pane has 69 columns").Press(keymap.Zoom).Hidden("| . Part").Press(keymap.ContentsPane)
		d.See("| . Part 1", "|   Part 6").Press(keymap.MovePageDown, keymap.MovePageDown).See("| x Part 1")
		d.Press(keymap.TabObjective).Hidden("Part").Off(keymap.ContentsPane, "no headings to choose from")
	})
}
