package ui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/themes"
	"vespe/ui"
	"vespe/ui/habits"
)

// The next start has the layouts, the theme and the divider of the last one, and the palette begins with what was found
// there most often.
func TestTheNextStartKnowsTheHabits(t *testing.T) {
	s := uitest.NewSmall()
	var kept habits.Habits
	start := func(change func(*ui.Deps), f func(*uitest.Driver)) {
		t.Helper()
		uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) {
			d.Habits = kept
			if change != nil {
				change(d)
			}
		}}, func(d *uitest.Driver) {
			f(d)
			kept = d.App.Habits()
		})
	}
	find := func(d *uitest.Driver, typed string) { d.Press(keymap.Palette).Type(typed).Press(keymap.PickerChoose) }
	start(nil, func(d *uitest.Driver) {
		d.Press(keymap.ViewBoard).See("In progress")
		find(d, "wider left")
		find(d, "copy name")
		find(d, "copy name")
		find(d, "turn panes")
		find(d, "theme contrast")
	})
	start(nil, func(d *uitest.Driver) {
		d.Press(keymap.ViewTasks).See("2 tasks", "Ended")
		d.Press(keymap.Palette)
		_, used := d.Find("Most used")
		_, first := d.Find("copy name")
		_, second := d.Find("turn panes")
		if used >= first || first >= second {
			t.Errorf("the rows are %d, %d and %d", used, first, second)
		}
		d.Press(keymap.PickerCancel)
	})
	if kept.Theme != "contrast" || !kept.Divider.Turn || kept.Divider.Stack == 0 {
		t.Errorf("kept is %+v", kept)
	}
	// Who chooses a theme in config.toml meanwhile gets that.
	start(func(d *ui.Deps) { d.Theme = themes.Theme{Name: "mine", Dark: d.Theme.Dark, Light: d.Theme.Light} }, func(*uitest.Driver) {})
	if kept.Theme != "" {
		t.Errorf("the theme is still %q", kept.Theme)
	}
}

// The palette finds settings by name and by what they do. They work at once.
func TestThePaletteFindsSettings(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: uitest.NewSmall().Store, Change: func(d *ui.Deps) { d.Mouse = true }}, func(d *uitest.Driver) {
		if d.App.View().MouseMode == tea.MouseModeNone {
			t.Fatal("the mouse is off from the beginning")
		}
		d.Press(keymap.Palette).Type("mouse = false").See("Leave the mouse to the terminal").Press(keymap.PickerChoose)
		d.See("This lasts until you leave. To keep it, write mouse = false into config.toml")
		if d.App.View().MouseMode != tea.MouseModeNone {
			t.Error("the mouse is still on")
		}
		d.Press(keymap.Palette).Type("desktop notification").See(`notify = "osc9"`).Press(keymap.PickerCancel)
		d.Press(keymap.Palette).Type("preferences").See("background", "mouse", "notify").Press(keymap.PickerCancel)
	})
}
