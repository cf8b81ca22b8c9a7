package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// Anyone who reads on the right keeps what is there, whatever others make of its place in the inbox: the
// next key would decide on another plan. The person's own verdict goes on to the next item.
func TestTheRightPaneStaysOnItsTask(t *testing.T) {
	s := uitest.NewStore()
	first, second := s.Planned("first plan", ""), s.Planned("second plan", "")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Open).See("Plan for first plan")
		s.Must(model.Op{Name: model.DeferPlan, UID: first, Actor: "human:bob", Reason: "after lunch"})
		d.Press(keymap.Refresh).See("Plan for first plan", "Deferred")
		d.Press(keymap.Comment).Type("one word").Press(keymap.ComposeSend, keymap.CommentsSend).See("Plan for first plan")
		s.Must(model.Op{Name: model.AcceptPlan, UID: first, Actor: "human:bob"})
		d.Press(keymap.Refresh).See("Plan for first plan", "not waiting")
		d.Press(keymap.FocusNext).See("not waiting").Press(keymap.MoveTop).See("Plan for second plan").Hidden("not waiting")
		third := s.Planned("third plan", "")
		d.Press(keymap.Refresh, keymap.Open).See("Plan for second plan")
		d.Press(keymap.Accept, keymap.ConfirmYes).See("Accepted", "Plan for third plan").Hidden("not waiting")
		if task(t, s, second).Status.AcceptedPlan == nil || task(t, s, third).Status.AcceptedPlan != nil {
			t.Error("another plan was accepted")
		}
	})
}

// The row that stays names its task once, however wide it is.
func TestTheHeldRowNamesItsTaskOnce(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		s := uitest.NewStore()
		first := s.Planned("first plan", "")
		uitest.Run(t, uitest.Options{Store: s, W: w, H: 40}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.Open)
			s.Must(model.Op{Name: model.AcceptPlan, UID: first, Actor: "human:bob"})
			d.Press(keymap.Refresh).See("not waiting")
			if row := d.Line(lineOf(d, "not waiting")); strings.Count(row, "first plan") != 1 {
				t.Errorf("at %d columns: %s", w, row)
			}
		})
	}
}

// What is sent without a verdict keeps the cursor of the inbox, too.
func TestSendingKeepsTheCursor(t *testing.T) {
	s := uitest.NewStore()
	first := s.Planned("first plan", "")
	s.Planned("second plan", "")
	s.Must(model.Op{Name: model.QuestionPlan, UID: first, Actor: "human:ann", Reason: "why?"})
	s.Must(model.Op{Name: model.ResolveComment, UID: first, Actor: "human:ann", Args: model.CommentRef{Comment: reviewOf(t, s, first).Comments[0].ID}})
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveBottom, keymap.TabPlan).See("Plan for first plan")
		d.Press(keymap.Comment).Type("one word").Press(keymap.ComposeSend, keymap.CommentsSend).See("Plan for first plan")
	})
}

// A plan that somebody asked about waits for the answer, and not for anyone who looks at it.
func TestAskedBackIsNotToBeReviewed(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.See("Plan review").Press(keymap.AskPlan).Type("why?").Press(keymap.ComposeSend)
		d.Hidden("Plan review").See("Question asked", "Waits for answers to a person's questions about its plan")
		d.Press(keymap.Pause).Sleep(time.Second).Press(keymap.ConfirmYes).See("Deferred", "Waits for a person who deferred its plan")
	})
}

// What is of high risk says so before it is opened, and what cannot be approved together is not offered.
func TestHighRiskInTheInbox(t *testing.T) {
	s := &asking{Small: uitest.NewSmall()}
	for _, title := range []string{"first thing", "second thing"} {
		n := action()
		n.Title, n.Risk = title, model.RiskLow
		s.ask(n)
	}
	n := action()
	n.Title, n.Risk = "third thing", model.RiskHigh
	s.ask(n)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox)
		onRow := func(title string) {
			d.Press(keymap.MoveTop)
			for range 12 {
				if _, y := d.Find("▌"); strings.Contains(d.Line(y), title) {
					break
				}
				d.Press(keymap.MoveDown)
			}
		}
		if _, y := d.Find("? third thing"); !strings.Contains(d.Line(y), "high") {
			t.Errorf("its row is %q", d.Line(y))
		}
		if _, y := d.Find("? first thing"); strings.Contains(d.Line(y), "high") {
			t.Errorf("the row of another is %q", d.Line(y))
		}
		onRow("first thing")
		d.Press(keymap.Select)
		onRow("second thing")
		d.Press(keymap.Select).See("approve 2")
		onRow("third thing")
		d.Press(keymap.Select).See("3 selected").Hidden("approve 3")
		d.Press(keymap.RequestAccept).See("only low-risk requests", "third thing")
	})
}

// What tells why nothing was done is read before its pane is left.
func TestEscapeReadsARemarkFirst(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.PlaceNext).See("No change, comment").Press(keymap.Back).Hidden("No change, comment")
		d.Press(keymap.MoveDown).See("Plan for lexer tokens").Press(keymap.Back, keymap.MoveDown).Hidden("Plan for lexer tokens")
	})
}

// A draft that blocks is what holds the plan: the keys that help are those of a draft.
func TestABlockingDraftIsNamed(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		onLine(d, "Write the test")
		d.Press(keymap.Comment, keymap.ComposeBlock).Type("which test?").Press(keymap.ComposeSend).Sleep(6 * time.Second)
		d.See("discard").Hidden("resolve/reopen")
		d.Press(keymap.Accept).See("sent with this verdict, blocks it", "x on the comment discards it", "enter there opens it again", "rejects the plan").Hidden("resolves it").Press(keymap.Back)
	})
}

// What a verdict has just done can be taken back: the key stands beside what it says, however narrow
// the terminal is.
func TestUndoStandsBesideWhatWasDone(t *testing.T) {
	for _, w := range []int{80, 120} {
		s := ask(action())
		uitest.Run(t, uitest.Options{Store: s.Store, W: w, H: 24}, func(d *uitest.Driver) {
			goTo(d, "grammar notes")
			d.Press(keymap.Accept, keymap.ConfirmYes).See("Accepted the work", "u undo")
			goTo(d, "error messages")
			d.Press(keymap.RequestOpen).Sleep(look).Press(keymap.RequestDeny).Type("no").Press(keymap.ComposeSend).See("Denied", "u undo")
		})
	}
}

// The inbox opens on the task that one comes from, and where that does not wait, on what waits first.
func TestTheInboxOpensOnWhatWaits(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		at := func(name string) {
			t.Helper()
			if _, y := d.Find("▌"); !strings.Contains(d.Line(y), name) {
				t.Errorf("the cursor is on %q, want %s", d.Line(y), name)
			}
		}
		goTo(d, "grammar notes")
		d.Press(keymap.ViewInbox)
		at("grammar notes")
		d.Press(keymap.ViewTree)
		goTo(d, "idea for later")
		d.Press(keymap.ViewInbox)
		at("lexer tokens")
	})
}
