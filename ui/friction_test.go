package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/ui/runview"
)

// Who leaves with a comment that was not sent is asked, and the same key again is a yes.
func TestQuittingAsksAboutAnUnsentComment(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan, keymap.Open, keymap.Comment).Type("why so").Press(keymap.ComposeSend)
		d.Press(keymap.Quit, keymap.Quit).See("1 comment not sent yet").Press(keymap.ConfirmNo).Hidden("not sent yet")
		d.Press(keymap.Quit).See("1 comment not sent yet").Sleep(time.Second).Press(keymap.Quit).Quits()
	})

	// A loop that ends with the workbench hides nothing of it.
	s, l := uitest.NewSmall(), &uitest.Loop{}
	l.Set(runview.LoopState{Running: true, Here: true, Workers: 2})
	o := withLoop(s.Store, l)
	o.KeepUnread = true
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan, keymap.Open, keymap.Comment).Type("why so").Press(keymap.ComposeSend)
		d.Sleep(3*time.Second).Press(keymap.Quit, keymap.Quit).See("The loop ends with the workbench", "1 comment not sent yet").Press(keymap.ConfirmNo)
	})
}

// The key that sends comments is not taken right behind another one, and says so.
func TestSendingTooSoonSaysSo(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan, keymap.Open, keymap.Comment).Type("why so").Press(keymap.ComposeSend)
		d.Key("ctrl+s").See("Not sent: too soon after another key", "when pressed again")
		d.Sleep(time.Second).Key("ctrl+s").See("Commented on the plan")
	})
}

// The key that creates says what it would make, and the way back leads to the view where that was.
func TestCreatingAndTheWayBack(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.See("+ new sibling").Press(keymap.ViewInbox, keymap.MoveTop).Hidden("+ new")
		was := d.Line(0)
		d.Press(keymap.New).See("New sibling").Type("one more").Press(keymap.PromptSubmit).See("overview  objective").Press(keymap.Back)
		d.Press(keymap.Undo).See("Your last action", "can't be undone: this undoes an").Press(keymap.PromptCancel)
		if d.See("Plans to review"); d.Line(0) != was && !strings.Contains(d.Line(0), "lexer tokens") {
			t.Errorf("it was %s and is %s", was, d.Line(0))
		}
	})
}

// What a person can do themselves is not asked of a person, and what is undone cannot be undone again.
func TestWhatLeadsOutOfARefusal(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Start).See("a accepts it").Hidden("ask a person").Press(keymap.Back)
		d.Sleep(time.Second).Press(keymap.Accept, keymap.ConfirmYes).See("Accepted").Press(keymap.Undo).See("Undid")
		goTo(d, "error messages")
		d.Press(keymap.Undo).See("Undo the acceptance of the plan of \"release\"", "Decided 3h ago") // of an earlier session
	})
}
