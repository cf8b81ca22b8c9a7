package ui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// The keys of a task work on its card, which goes from column to column.
func TestACardGoesAcrossTheBoard(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("lexer tokens", "")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewBoard).See("To plan", "Needs you", "lexer tokens", "Ready", "In progress", "Ended")
		d.Press(keymap.Accept, keymap.ConfirmYes).Status(uid, model.StatusReady)
		d.Press(keymap.Start).See("Start").Press(keymap.ConfirmYes).Status(uid, model.StatusRunning).See("1 under way")
		d.Press(keymap.Done).See("Complete work").Type("it works").Press(keymap.ComposeSend).Status(uid, model.StatusReviewWork)
		d.Press(keymap.Reject).See("Reject work").Type("not yet").Press(keymap.ComposeSend).Status(uid, model.StatusReplan)
	})
}

// The mouse selects a card, on which the next key acts. It carries none.
func TestTheMouseSelectsACard(t *testing.T) {
	s := uitest.NewStore()
	first, second := s.Planned("lexer tokens", ""), s.Planned("parser tables", "")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewBoard)
		x, y := onBoard(d, "parser tables")
		tx, ty := d.Find("In progress")
		d.Drag(x, y, tx, ty).Press(keymap.Accept, keymap.ConfirmYes).Status(second, model.StatusReady).Status(first, model.StatusReviewPlan)
	})
}

// The board lies above the detail where the tree lies beside it, and the other way round on demand.
func TestTheBoardHasTheWidth(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 140, H: 40}, func(d *uitest.Driver) {
		_, beside := d.Find("overview")
		d.Press(keymap.ViewBoard)
		if _, below := d.Find("overview"); below <= beside {
			t.Errorf("the detail is on line %d, as beside the tree", below)
		}
		d.Press(keymap.Layout)
		if _, y := d.Find("overview"); y != beside {
			t.Errorf("turned, the detail is on line %d", y)
		}
	})
}

// onBoard is where a card with a name is on the screen.
func onBoard(d *uitest.Driver, name string) (x, y int) {
	d.T.Helper()
	for y, line := range strings.Split(d.Screen(), "\n") {
		if at := strings.Index(line, name); at >= 0 && y > 2 {
			return ansi.StringWidth(line[:at]), y
		}
	}
	d.T.Fatalf("%q is not on the board:\n%s", name, d.Screen())
	return 0, 0
}

// A view with keys of its own lists them first; the tree, what decides about tasks.
func TestTheHelpBeginsWithTheKeysOfTheView(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: uitest.NewSmall().Store, W: 120, H: 40}, func(d *uitest.Driver) {
		for _, c := range []struct {
			view        keymap.Action
			title, says string
		}{
			{keymap.ViewTree, "Review", "Send the plan or the finished work back"},
			{keymap.ViewLanes, "In the lanes", "Fold tasks without dependencies"},
			{keymap.ViewMap, "In the map", "Show tasks one edge farther"},
			{keymap.ViewBoard, "On the board", "go one column left"},
			{keymap.ViewMilestones, "In the milestones", "Unfold, follow"},
			{keymap.ViewHistory, "In the history", "Show only what one actor did"},
		} {
			d.Press(c.view, keymap.Help).See(c.title, c.says)
			own, accept := strings.Index(d.Screen(), c.says), strings.Index(d.Screen(), "Accept the plan or the finished work")
			if c.view != keymap.ViewTree && accept >= 0 && accept < own || c.view == keymap.ViewTree && accept < 0 {
				t.Errorf("%s: the help begins with something else:\n%s", c.view, d.Screen())
			}
			d.Key("esc")
		}
		d.Palette(keymap.Statistics).Press(keymap.Help).See("In the statistics", "Show a shorter period")
	})
}
