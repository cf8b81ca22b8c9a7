package ui_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// selectTwo selects two tasks with plans that wait, and asks to accept them from a store
// that takes its time.
func selectTwo(d *uitest.Driver, s *uitest.Small) {
	goTo(d, "lexer tokens")
	d.Press(keymap.Select)
	goTo(d, "parser tables")
	d.Press(keymap.Select)
	s.ReadTime = 500 * time.Millisecond
	d.Press(keymap.Accept)
}

// A dialog that comes late does not open over what the person has gone on to, whatever it
// was that they continued with.
func TestALateDialogDoesNotOpen(t *testing.T) {
	for name, goOn := range map[string]func(*uitest.Driver){
		"a prompt": func(d *uitest.Driver) {
			d.Press(keymap.Back)
			goTo(d, "idea for later")
			d.Press(keymap.Rename).Key("ctrl+u").Type("my ")
		},
		"a key":   func(d *uitest.Driver) { d.Press(keymap.MoveUp) },
		"a click": func(d *uitest.Driver) { d.Click(3, 3) },
		"a paste": func(d *uitest.Driver) { d.Send(tea.PasteMsg{Content: "y"}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := uitest.NewSmall()
			harmless(s.Store, s.Plan, s.Planned("parser tables", s.Root))
			uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
				selectTwo(d, s)
				goOn(d)
				d.Sleep(3 * time.Second).Hidden("sha256-")
				d.Type("yaml").Sleep(time.Second).Type("y")
				if accepted(t, s) {
					t.Errorf("typing accepted the plans\n%s", d.Screen())
				}
			})
		})
	}
}

func TestADialogThatIsAwaitedComes(t *testing.T) {
	s := uitest.NewSmall()
	harmless(s.Store, s.Plan, s.Planned("parser tables", s.Root))
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		selectTwo(d, s)
		d.Sleep(5 * time.Second).See("sha256-").Press(keymap.ConfirmNo)
		d.Press(keymap.Accept, keymap.MoveUp).See("canceled")
	})
}

// What is accepted is on the screen: a pane that has the whole of it gives way.
func TestAcceptingShowsThePlan(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 14}, {200, 50}} {
		for name, zoomed := range map[string]bool{"zoomed": true, "not zoomed": false} {
			t.Run(name, func(t *testing.T) {
				s := uitest.NewSmall()
				uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
					goTo(d, "lexer tokens")
					if zoomed {
						d.Press(keymap.Zoom)
					}
					d.Press(keymap.Accept).See("Accept the plan of \"lexer tokens\"?").Press(keymap.ConfirmNo).See("Plan for lexer tokens")
					if size[0] >= 120 {
						d.See("2 tasks", "Build the parser") // beside the tree, not in its place
					}
				})
			})
		}
	}
}

// One selected task is brought to the screen, whatever the cursor is on and in every view.
func TestAcceptingASelectedTaskShowsItsPlan(t *testing.T) {
	for _, view := range ui.ViewActions() {
		t.Run(string(view), func(t *testing.T) {
			s := uitest.NewSmall()
			uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
				goTo(d, "lexer tokens")
				d.Press(keymap.Select)
				goTo(d, "grammar notes")
				d.Press(view, keymap.Accept).Sleep(time.Second)
				d.See("Plan for lexer tokens", "Accept the plan of \"lexer tokens\"?")
				if !strings.Contains(d.Line(0), "lexer tokens") {
					t.Errorf("the cursor is elsewhere: %s", d.Line(0))
				}
				d.Press(keymap.ConfirmYes)
				if !accepted(t, s) {
					t.Error("not accepted")
				}
			})
		})
	}
}

// Several plans cannot be on one screen: the dialog says so, names the bytes of each, and
// opens each.
func TestAcceptingSeveralPlansSaysThatTheyAreNotOnScreen(t *testing.T) {
	s := uitest.NewSmall()
	other := s.Planned("parser tables", s.Root)
	harmless(s.Store, s.Plan, other)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Select)
		goTo(d, "parser tables")
		d.Press(keymap.Select, keymap.Accept)
		for _, uid := range []model.UID{s.Plan, other} {
			c, err := s.Content(d.T.Context(), uid, model.Plan)
			if err != nil {
				t.Fatal(err)
			}
			d.See(c.Hash[:19])
		}
		d.See("off screen")
		d.Press(keymap.ConfirmRead).Type("lexer").Press(keymap.PickerChoose)
		d.See("# Plan for lexer tokens", "3. Make it pass.").Press(keymap.PagerClose)
		d.See("off screen").Key("y") // it may have been typed on
		if accepted(t, s) {
			t.Fatal("the dialog took a key right after the text was closed")
		}
		d.Press(keymap.ConfirmYes)
		if !accepted(t, s) || task(t, s.Store, other).Status.AcceptedPlan == nil {
			t.Fatal("the plans were not accepted")
		}
	})
}

// A plan of a selection that changes after the dialog was read is not accepted: the hashes
// are those of the bytes that the dialog names.
func TestASelectionIsAcceptedAsTheDialogReadIt(t *testing.T) {
	s := uitest.NewSmall()
	other := s.Planned("parser tables", s.Root)
	harmless(s.Store, s.Plan, other)
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Select)
		goTo(d, "parser tables")
		d.Press(keymap.Select, keymap.Accept).See("sha256-")
		s.Edit(s.Plan, model.Plan, "# Another\n")
		d.Press(keymap.ConfirmYes).See("changed meanwhile", "Another")
		if accepted(t, s) || task(t, s.Store, other).Status.AcceptedPlan != nil {
			t.Fatal("bytes that nobody saw were accepted")
		}
	})
}

// An edit belongs to the text that the editor was opened with. What somebody wrote in the
// meantime is never replaced unseen, whichever way they wrote it.
func TestAnEditDoesNotReplaceWhatWasNotSeen(t *testing.T) {
	theirs := model.Op{Name: model.DefinePlan, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Theirs\n\nAnother plan.\n"}}
	for name, c := range map[string]struct {
		before func(d *uitest.Driver, s *uitest.Small)
		during func(s *uitest.Small)
	}{
		"a file, while the editor is open": {
			during: func(s *uitest.Small) { s.Edit(s.Plan, model.Plan, theirs.Text()) },
		},
		"the store, before the text on screen was read again": {
			before: func(d *uitest.Driver, s *uitest.Small) {
				d.Sleep(100 * time.Millisecond)
				s.ReadTime = 5 * time.Second
				op := theirs
				op.UID = s.Plan
				s.Must(op)
				d.Press(keymap.Refresh).Sleep(time.Millisecond)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := uitest.NewSmall()
			ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Mine.\n", nil }}
			if c.during != nil {
				ed.Before = func() { c.during(s) }
			}
			o := uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Editor = ed }}
			uitest.Run(t, o, func(d *uitest.Driver) {
				goTo(d, "lexer tokens")
				if c.before != nil {
					c.before(d, s)
				}
				d.Press(keymap.EditPlan).Sleep(30 * time.Second)
				now, err := s.Content(d.T.Context(), s.Plan, model.Plan)
				if err != nil || string(now.Body) != theirs.Text() {
					t.Fatalf("theirs was replaced unseen: %q %v", now.Body, err)
				}
				d.See("changed while you were writing", "Theirs", "Mine").Press(keymap.PagerClose)
				// Having seen it, the person can continue with their own text.
				s.ReadTime, ed.Before = 0, nil
				ed.Write = func(body string) (string, error) { return body + "\n5. Both.\n", nil }
				d.Press(keymap.EditPlan).Sleep(5 * time.Second)
				if now, _ := s.Content(d.T.Context(), s.Plan, model.Plan); !strings.Contains(string(now.Body), "Both") {
					t.Fatalf("the text was not taken after the difference was seen: %q\n%s", now.Body, d.Screen())
				}
			})
		})
	}
}

// A verdict that somebody gave while the editor was open is not made void unseen, although
// the text is the one that the editor was given.
func TestAnEditDoesNotVoidAVerdictThatWasNotSeen(t *testing.T) {
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Mine.\n", nil }}
	waits := s.Planned("docs", s.Root, s.Plan) // accepted, it still has its plan to be written
	ed.Before = func() { s.Accept(waits) }
	o := uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Editor = ed }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "docs")
		d.Press(keymap.EditPlan).Sleep(5 * time.Second)
		if task(t, s.Store, waits).Status.AcceptedPlan == nil {
			t.Errorf("an acceptance was made void by somebody who had not seen it\n%s", d.Screen())
		}
	})
}

// When the person has gone on before the difference could be shown, the refusal is said.
func TestAConflictThatIsNotShownIsSaid(t *testing.T) {
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "\n4. Mine.\n", nil }}
	ed.Before = func() { s.Edit(s.Plan, model.Plan, "# Theirs\n") }
	o := uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.Editor = ed }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Sleep(100 * time.Millisecond)
		s.ReadTime = 5 * time.Second
		d.Press(keymap.EditPlan).Press(keymap.MoveUp).Sleep(30 * time.Second)
		d.See("Can't ", "your text is saved")
	})
}
