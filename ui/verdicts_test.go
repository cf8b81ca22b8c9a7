package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// A verdict given from the inbox takes its row away; undo offers it all the same, names
// its task, and brings the cursor back to it.
func TestUndoOffersTheLastVerdictOfTheSession(t *testing.T) {
	s := uitest.NewSmall()
	other := s.Planned("parser tables", s.Root)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop)
		first := s.Plan
		if strings.Contains(d.Line(0), "parser tables") {
			first = other
		}
		name := task(t, s.Store, first).Config.Name
		d.Press(keymap.Accept, keymap.ConfirmYes)
		if strings.Contains(d.Line(0), name) {
			t.Fatalf("the row is still under the cursor: %s", d.Line(0))
		}
		d.Sleep(10*time.Second).Press(keymap.Undo).See("Undo the acceptance of the plan of", name).Press(keymap.PromptSubmit)
		d.Status(first, model.StatusReviewPlan)
		if !strings.Contains(d.Line(0), name) {
			t.Errorf("the cursor is not back on %q: %s", name, d.Line(0))
		}
		// There is no other verdict of this session to take back.
		d.Press(keymap.Undo).See("Undo: no decision here yet")
	})
}

func TestUndoPrefersTheTaskUnderTheCursor(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		goTo(d, "grammar notes")
		d.Sleep(10 * time.Second).Press(keymap.Undo).See("the acceptance of the work on").Press(keymap.PromptSubmit)
		d.Status(s.Work, model.StatusReviewWork)
		goTo(d, "idea for later")
		d.Sleep(10*time.Second).Press(keymap.Undo).See("the acceptance of the plan of", "lexer tokens").Press(keymap.PromptSubmit)
		d.Status(s.Plan, model.StatusReviewPlan)
	})
}

// In the inbox the cursor moves by itself, maybe to a task with an older verdict: the last one is taken back.
func TestUndoInTheInboxTakesBackTheLastVerdict(t *testing.T) {
	s := uitest.NewSmall()
	s.Planned("parser tables", s.Root)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parser tables")
		d.Press(keymap.AskPlan).Type("which tables?").Press(keymap.ComposeSend)
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmYes).Press(keymap.ViewInbox, keymap.MoveBottom)
		if !strings.Contains(d.Line(0), "parser tables") {
			t.Fatalf("the cursor is on %s", d.Line(0))
		}
		d.Sleep(10*time.Second).Press(keymap.Undo).See("Undo the acceptance of the plan of", "lexer tokens")
	})
}

func TestUndoTakesBackAWholeSelection(t *testing.T) {
	s := uitest.NewSmall()
	other := s.Planned("parser tables", s.Root)
	harmless(s.Store, s.Plan, other)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Select, keymap.Select).See("2 selected").Press(keymap.Accept).Sleep(300 * time.Millisecond).Press(keymap.ConfirmYes)
		d.Hidden("selected")
		for _, uid := range []model.UID{s.Plan, other} {
			if task(t, s.Store, uid).Status.AcceptedPlan == nil {
				t.Errorf("%s was not accepted", uid)
			}
		}
		d.Press(keymap.Undo).See("2 tasks", "lexer tokens", "parser tables").Press(keymap.PromptSubmit)
		for _, uid := range []model.UID{s.Plan, other} {
			d.Status(uid, model.StatusReviewPlan)
		}
	})
}

// One set of marks by uid: what is selected in one view is selected in the others.
func TestTheViewsShareOneSelection(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop, keymap.Select).See("1 selected")
		d.Press(keymap.ViewLanes, keymap.MoveTop, keymap.MoveDown, keymap.Select).See("2 selected")
		d.Press(keymap.ViewTree).See("2 selected").Press(keymap.Back).Hidden("selected")
		d.Press(keymap.ViewLanes, keymap.MoveTop, keymap.Select).See("1 selected").Press(keymap.Back).Hidden("selected")
	})
}

// What is one task's is done to the task under the cursor, whatever is selected, and its
// refusal names that task.
func TestSingleTaskActionsMeanTheCursor(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.ReviewAccepted, UID: s.Work, Actor: uitest.Ann})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Select)
		goTo(d, "grammar notes")
		d.Press(keymap.EditShown).See("Edit: it is completed")
		d.Off(keymap.NewSubtask, "grammar notes")
		goTo(d, "idea for later")
		d.Press(keymap.Rename).See("idea for later").Press(keymap.PromptCancel)
		d.See("1 selected")
	})
}

// An action without a task is a note that names the action, and no failure.
func TestActionsWithoutATaskAreQuiet(t *testing.T) {
	s := uitest.NewStore()
	s.Task("only", "")
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox).See("Nothing waits for you")
		for _, spec := range d.Keys.Specs() {
			if len(spec.Transitions()) == 0 || slices.Equal(spec.Scopes, []keymap.Scope{keymap.Request}) {
				continue // in a request their keys are others' elsewhere
			}
			if len(spec.Keys) > 0 {
				d.Press(spec.Action)
			} else {
				d.Palette(spec.Action).Key("esc") // it says why not, and stays
			}
			if unread := d.App.Unread(); len(unread) > 0 {
				t.Errorf("%s is a failure without a task: %q", spec.Action, unread)
				d.Press(keymap.Back)
			}
			d.Hidden("failed", "Can't ")
		}
		d.Press(keymap.Accept).See("Accept: no task under the cursor")
	})
}

// Going to an item of the inbox shows what it waits for somebody to read; a tab that the person
// chose before stays.
func TestOpeningAnItemShowsWhatToRead(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		to := func(uid model.UID) {
			d.Press(keymap.ViewInbox, keymap.MoveTop)
			for name := task(t, s.Store, uid).Config.Name; !strings.Contains(d.Line(0), name); {
				before := d.Line(0)
				if d.Press(keymap.MoveDown); d.Line(0) == before {
					t.Fatalf("%q is not in the inbox", name)
				}
			}
		}
		to(s.Plan)
		d.See("plan, revision 1").Press(keymap.Open).See("plan, revision 1")
		d.Press(keymap.TabOverview).Hidden("plan, revision 1")
		to(s.Work)
		d.See("done: grammar notes").Press(keymap.Open).See("done: grammar notes")
		d.Press(keymap.TabHistory)
		to(s.Plan)
		d.See("plan, revision 1")
	})
}
