package ui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// A card goes through the columns by one key each, with the question that the transition's own key asks.
func TestACardGoesAcrossTheBoard(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("lexer tokens", "")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewBoard).See("To plan", "Needs you", "lexer tokens", "Ready", "In progress", "Done")
		d.Press(keymap.CardOn, keymap.ConfirmYes).Status(uid, model.StatusReady)
		d.Press(keymap.CardOn).See("Start").Press(keymap.ConfirmYes).Status(uid, model.StatusRunning).See("1 under way")
		d.Press(keymap.CardOn).See("Complete work").Type("it works").Press(keymap.ComposeSend).Status(uid, model.StatusReviewWork)
		d.Press(keymap.CardBack).See("Reject work").Type("not yet").Press(keymap.ComposeSend).Status(uid, model.StatusReplan)
		d.Press(keymap.CardBack).See("nothing moves it back from there").Press(keymap.Back)
		d.Status(uid, model.StatusReplan)
	})
}

// The reason why a card stays where it is is the one of the transition that would move it.
func TestTheBoardSaysWhyNot(t *testing.T) {
	s := uitest.NewStore()
	first := s.Planned("lexer tokens", "")
	second := s.Planned("parser tables", "", first)
	s.Accept(second)
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewTree)
		goTo(d, "parser tables")
		d.Press(keymap.ViewBoard, keymap.CardOn).See(`Can't start "parser tables"`, "lexer tokens").Press(keymap.Back)
		d.Press(keymap.CardTo).See("no: nothing moves a task", "Done").Type("done").Press(keymap.PickerChoose)
		d.See(`nothing moves a task from "blocked" to "Done"`).Press(keymap.Back)
		d.Press(keymap.CardTo).Type("to plan").Press(keymap.PickerChoose).See("Replan").Type("another way").Press(keymap.PromptSubmit)
		d.Status(second, model.StatusReplan)
	})
}

// The mouse carries a card to another column, and asks what the key asks.
func TestTheMouseMovesACard(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("lexer tokens", "")
	s.Accept(uid)
	s.Working("another one", "")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewBoard)
		x, y := onBoard(d, "lexer tokens")
		tx, ty := onBoard(d, "another one")
		d.Drag(x, y, tx, ty).See("Start").Press(keymap.ConfirmYes).Status(uid, model.StatusRunning)
		x, y = onBoard(d, "lexer tokens")
		d.Drag(x, y, x+2, y+1).Hidden("Can't ")
		tx, ty = d.Find("To plan")
		d.Drag(x, y, tx, ty).See("Replan").Press(keymap.PromptCancel)

		// A card that is held while another view comes is let go.
		x, y = onBoard(d, "lexer tokens")
		d.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}).Press(keymap.ViewInbox)
		d.Send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}).Press(keymap.ViewBoard)
		d.Send(tea.MouseReleaseMsg{X: tx, Y: ty, Button: tea.MouseLeft}).Hidden("its plan is no longer accepted")
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
			{keymap.ViewLanes, "In the lanes", "Highlight dependencies"},
			{keymap.ViewMap, "In the map", "Show tasks one edge farther"},
			{keymap.ViewBoard, "On the board", "Move the card to the next column"},
			{keymap.ViewMilestones, "In the milestones", "Create a milestone"},
			{keymap.ViewHistory, "In the history", "Show only what one actor did"},
		} {
			d.Press(c.view, keymap.Help).See(c.title, c.says)
			own, accept := strings.Index(d.Screen(), c.says), strings.Index(d.Screen(), "Accept the plan or the finished work")
			if c.view != keymap.ViewTree && accept >= 0 && accept < own || c.view == keymap.ViewTree && accept < 0 {
				t.Errorf("%s: the help begins with something else:\n%s", c.view, d.Screen())
			}
			d.Key("esc")
		}
		d.Palette(keymap.Statistics).Press(keymap.Help).See("Looking back", "Show a shorter period")
	})
}
