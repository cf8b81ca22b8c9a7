package ui_test

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/ui"
)

func accepted(t *testing.T, s *uitest.Small) bool {
	t.Helper()
	return task(t, s.Store, s.Plan).Status.AcceptedPlan != nil
}

// Letters that were meant for another window decide on nothing, also when two of them are
// the key of a dialog and its yes.
func TestTypingAWordAcceptsNothing(t *testing.T) {
	for _, word := range []string{"okay", "maybe", "day", "always", "lazy", "play", "al\r", "a\ty\r", "aaay"} {
		t.Run(word, func(t *testing.T) {
			s := uitest.NewSmall()
			uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
				goTo(d, "lexer tokens")
				d.Type(word)
				if accepted(t, s) {
					t.Errorf("typing %q accepted the plan", word)
				}
			})
		})
	}
}

// However slowly somebody types, each key begins the moment anew; and the dialog says that
// it waits.
func TestADialogWaitsForTheKeysToBeStill(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("when the keys rest")
		for range 5 {
			d.Sleep(200 * time.Millisecond).Key("y")
		}
		d.See("when the keys rest", "Accept the plan of")
		if accepted(t, s) {
			t.Fatal("a key that came while the dialog waited accepted the plan")
		}
		d.Sleep(300 * time.Millisecond).Hidden("when the keys rest").Key("y")
		if !accepted(t, s) {
			t.Fatal("the dialog did not take its answer")
		}
	})
}

func TestAWaitingDialogCanBeLeftAtOnce(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).Key("esc").Hidden("Accept the plan of").Sleep(time.Second)
		d.Press(keymap.Accept).See("Accept the plan of").Press(keymap.ConfirmYes)
		if !accepted(t, s) {
			t.Fatal("the dialog did not come again")
		}
	})
}

// The second click of a double click, and what a clipboard holds, are no answers.
func TestClicksAndPastesWhileADialogWaits(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept)
		x, y := d.Find("y Accept")
		if x < 0 {
			t.Fatalf("no button:\n%s", d.Screen())
		}
		d.Click(x+1, y).Click(x+1, y)
		for range 4 {
			d.Sleep(200*time.Millisecond).Send(tea.PasteMsg{Content: "y\r"}).Click(x+1, y)
		}
		d.Sleep(200 * time.Millisecond).Send(tea.PasteMsg{Content: "y"}).Sleep(200 * time.Millisecond).Key("y")
		if accepted(t, s) {
			t.Fatal("a click or a paste that came while the dialog waited accepted the plan")
		}
		d.Sleep(300 * time.Millisecond).Send(tea.PasteMsg{Content: "y\r"})
		if accepted(t, s) {
			t.Fatal("a paste accepted the plan")
		}
		d.Click(x+1, y)
		if !accepted(t, s) {
			t.Fatal("the button did not take a click")
		}
	})
}

// A question that leaves the program is one too.
func TestQuittingOverAJobThatRunsIsAsked(t *testing.T) {
	s := uitest.NewSmall()
	var slow chan struct{}
	o := uitest.Options{Store: s.Store, Change: func(d *ui.Deps) {
		slow = make(chan struct{})
		d.Store = blockingStore{s.Store, slow}
	}}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmYes, keymap.Quit).See("still in progress")
		d.Type("y").Sleep(time.Second)
		if d.Ended() {
			t.Fatal("the program left while something was being written, without an answer")
		}
		d.Press(keymap.ConfirmNo)
		close(slow)
		d.Sleep(time.Second)
		if !accepted(t, s) {
			t.Fatal("the plan was not accepted")
		}
		d.Press(keymap.Quit).Quits()
	})
}
