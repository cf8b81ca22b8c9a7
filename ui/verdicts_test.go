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

// A verdict given from the inbox takes its row away; undo takes it back all the same, at once, and brings the cursor back to it.
func TestUndoTakesBackTheLastVerdictAtOnce(t *testing.T) {
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
		d.Sleep(10*time.Second).Press(keymap.Undo).See("Undid the acceptance of the plan of", name)
		d.Status(first, model.StatusReviewPlan)
		if !strings.Contains(d.Line(0), name) {
			t.Errorf("the cursor is not back on %q: %s", name, d.Line(0))
		}
	})
}

// Wherever the cursor is, undo takes back this person's newest verdict. An older one, or one of an earlier session, is asked
// about: which task, what, and when.
func TestUndoIsOfTheNewestVerdict(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		goTo(d, "grammar notes")
		d.Sleep(10*time.Second).Press(keymap.Undo).See("Undid the acceptance of the plan of", "lexer tokens")
		d.Status(s.Plan, model.StatusReviewPlan)
		goTo(d, "idea for later")
		d.Press(keymap.Undo).See("Undo the acceptance of the work on", "grammar notes", "Decided just now").Press(keymap.PromptCancel)
		s.Must(model.Op{Name: model.AcceptPlan, UID: s.Plan, Actor: "human:bob"})
		goTo(d, "lexer tokens")
		d.Press(keymap.Undo).See("Undo the acceptance of the work on", "grammar notes").Press(keymap.PromptSubmit)
		d.Status(s.Work, model.StatusReviewWork).Status(s.Plan, model.StatusReady)
		goTo(d, "lexer tokens")
		d.Palette(keymap.UndoOther).See("Undo the acceptance of the plan of", "lexer tokens", "human:bob", "Decided just now").Press(keymap.PromptSubmit)
		d.Status(s.Plan, model.StatusReviewPlan)
	})
}

func TestUndoSaysThatThereIsNothing(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("parser", "")
	s.Must(model.Op{Name: model.AcceptPlan, UID: uid, Actor: "human:bob"})
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		goTo(d, "parser")
		d.Press(keymap.Undo).See("Undo: you have no decision to undo", "undo verdict undoes the one on this task")
		d.Press(keymap.Rename).Type(" anew").Key("enter").Press(keymap.Undo).See("Rename", "can't be undone: only decisions can")
		d.Status(uid, model.StatusReady)
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
		d.Press(keymap.Undo).See("Undid", "2 tasks", "lexer tokens", "parser tables")
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

// u takes back the person's own decision, and never another's that came meanwhile.
func TestUndoLeavesWhatSomebodyElseDecidedSince(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 140, H: 40, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan)
		d.Press(keymap.Reject).Type("my no").Press(keymap.ComposeSend)
		d.Sleep(2 * time.Second)
		bob := model.Actor("human:bob")
		s.Must(
			model.Op{Name: model.UndoVerdict, UID: s.Plan, Actor: bob},
			model.Op{Name: model.AcceptPlan, UID: s.Plan, Actor: bob},
		)
		d.Press(keymap.Undo)
		task, _ := s.Snapshot().Task(s.Plan)
		if task.Status.AcceptedPlan == nil {
			t.Errorf("bob's acceptance was taken back without a question:\n%s", d.Screen())
		}
	})
}

// The question about another's verdict is about that verdict, however long it stays open.
func TestUndoTakesBackTheVerdictItNames(t *testing.T) {
	s := uitest.NewSmall()
	bob, carol := model.Actor("human:bob"), model.Actor("human:carol")
	s.Must(model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: bob, Reason: "bob says no"})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 140, H: 40, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Palette(keymap.UndoOther).See("human:bob")
		s.Must(
			model.Op{Name: model.UndoVerdict, UID: s.Plan, Actor: bob},
			model.Op{Name: model.AcceptPlan, UID: s.Plan, Actor: carol},
		)
		d.Sleep(5 * time.Second)
		d.Key("enter")
		if task, _ := s.Snapshot().Task(s.Plan); task.Status.AcceptedPlan == nil {
			t.Error("carol's acceptance was taken back; the question named bob's rejection")
		}
	})
}
