package ui_test

import (
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/ui"
)

// The workbench opens on what waits for the person, and on the tasks when nothing does.
func TestTheFirstViewIsWhatWaits(t *testing.T) {
	queue := func(d *ui.Deps) { d.Start = "" }
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, Change: queue}, func(d *uitest.Driver) {
		d.See("Plans to review", "lexer tokens").Press(keymap.ViewTasks).See("Build the parser", "2 tasks")
	})
	quiet := uitest.NewStore()
	quiet.Task("alone", "")
	uitest.Run(t, uitest.Options{Store: quiet, Change: queue}, func(d *uitest.Driver) {
		d.See("alone").Hidden("Nothing waits")
		quiet.Planned("later", "")
		d.Sleep(2 * time.Second).Hidden("Plans to review") // the view is the person's once it is there
	})
}

// Each view comes back in the layout that it had.
func TestAViewKeepsItsLayout(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 200, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewLayout).See("2 tasks board").Press(keymap.ViewLayout).See("2 tasks milestones")
		d.Press(keymap.ViewInbox).See("Plans to review").Press(keymap.ViewTasks).See("2 tasks milestones")
		d.Press(keymap.ViewLayout).Hidden("2 tasks milestones", "2 tasks board")
		d.Press(keymap.ViewInbox, keymap.ViewLayout).See(`The key v does nothing here, on "lexer tokens" (Plan review). Elsewhere: Show the same in another way`)
		d.Key("$").See("No action has the key $", "? shows the keys")
	})
}

// A key or a click in a view that shows nothing yet does nothing that is wrong.
func TestViewsBeforeTheStoreIsRead(t *testing.T) {
	for _, show := range ui.ViewActions() {
		t.Run(string(show), func(t *testing.T) {
			s := uitest.Large(200)
			s.LoadTime = 2 * time.Second
			o := uitest.Options{Store: s, Change: func(d *ui.Deps) { d.Start = show }}
			uitest.Run(t, o, func(d *uitest.Driver) {
				d.Sleep(500 * time.Millisecond).See("Reading")
				for _, key := range []string{"shift+right", "shift+left", "h", "l", "enter", "space", "x", "s", "e", "+", "z", "v", "n", "down", "esc"} {
					d.Key(key)
				}
				d.Click(3, 3).Sleep(3 * time.Second).Hidden("Reading")
			})
		})
	}
}
