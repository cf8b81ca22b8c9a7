package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// goTo puts the cursor of the tree on a task by searching for its name.
func goTo(d *uitest.Driver, name string) {
	d.T.Helper()
	d.Press(keymap.SearchStart).Type(name).Press(keymap.SearchKeep).Press(keymap.Back)
	if !strings.Contains(d.Line(0), name) {
		d.T.Fatalf("the cursor is not on %q:\n%s", name, d.Screen())
	}
}

func TestReadAPlanAndAcceptIt(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Status(s.Plan, model.StatusReviewPlan)
		d.Press(keymap.TabPlan).See("Plan for lexer tokens", "Make it pass")
		d.Press(keymap.Accept).See("Accept the plan of \"lexer tokens\"?", "It can start.").Hidden("sha256-")
		d.Press(keymap.ConfirmDetails).See("sha256-", "revision 1").Press(keymap.ConfirmDetails).Hidden("sha256-")
		d.Status(s.Plan, model.StatusReviewPlan) // nothing has happened yet
		d.Key("enter")                           // the safe button has the focus
		d.Status(s.Plan, model.StatusReviewPlan)
		d.Press(keymap.Accept, keymap.ConfirmYes)
		i, _ := s.Snapshot().Index(s.Plan)
		if st := s.Snapshot().At(i).Status; st.CurrentState != model.Working || st.AcceptedPlan == nil {
			t.Fatalf("state %s, accepted %v", st.CurrentState, st.AcceptedPlan)
		}
		d.See("Accepted the plan of")
	})
}

// A plan that changes while it is on screen is not accepted: the acceptance is refused and
// the difference shown.
func TestAPlanThatChangedIsNotAccepted(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: false}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan, keymap.Accept)
		s.Edit(s.Plan, model.Plan, uitest.PlanText("lexer tokens")+"4. Delete the production database.\n")
		d.Press(keymap.ConfirmYes)
		d.See("changed meanwhile", "Delete the production database", "Can't accept the plan")
		d.Status(s.Plan, model.StatusReviewPlan)
		d.Press(keymap.PagerClose).Hidden("Can't accept the plan") // the difference has said it
		d.Press(keymap.Log).See("Can't accept the plan").Press(keymap.PagerClose)
		// What is on screen now is what is there now.
		d.See("Delete the production database")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		if st := task(t, s.Store, s.Plan).Status; st.AcceptedPlan == nil {
			t.Fatal("the plan that was shown could not be accepted")
		}
	})
}

func TestRejectWithAReason(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).See("Reject plan", "lexer tokens")
		d.Press(keymap.ComposeSend) // a reason is needed
		d.Status(s.Plan, model.StatusReviewPlan)
		d.Type("no error handling").Press(keymap.ComposeSend)
		tk := task(t, s.Store, s.Plan)
		if tk.Status.CurrentState != model.ObjectiveDefined || tk.Status.Review == nil || tk.Status.Review.Reason != "no error handling" {
			t.Fatalf("%+v", tk.Status)
		}
	})
}

func TestGivingUpAReasonChangesNothing(t *testing.T) {
	s := uitest.NewSmall()
	before := s.Snapshot().Seq()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Reject).Type("half a rea").Press(keymap.ComposeLeave)
		d.Press(keymap.Abort).Press(keymap.PromptCancel)
	})
	if got := s.Snapshot().Seq(); got != before {
		t.Fatalf("the store moved from %d to %d", before, got)
	}
}

func TestUndoAVerdict(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmYes)
		d.Sleep(10 * time.Second).Press(keymap.Undo).See("Undid the acceptance")
		d.Status(s.Plan, model.StatusReviewPlan)
	})
}

func TestReviewOfWork(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Status(s.Work, model.StatusReviewWork)
		d.Press(keymap.Reject).Type("no examples").Press(keymap.ComposeSend)
		d.Status(s.Work, model.StatusReplan)
		d.Press(keymap.Undo, keymap.PromptSubmit)
		d.Press(keymap.Accept).See("grammar notes").Press(keymap.ConfirmYes)
		d.Status(s.Work, model.StatusDone)
	})
}

func TestVerdictOnASelection(t *testing.T) {
	s := uitest.NewSmall()
	other := s.Planned("parser tables", s.Root)
	harmless(s.Store, s.Plan, other)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Select)
		goTo(d, "parser tables")
		d.Press(keymap.Select).See("2 selected")
		d.Press(keymap.Accept).See("lexer tokens", "parser tables", "sha256-")
		d.Press(keymap.ConfirmYes)
		for _, uid := range []model.UID{s.Plan, other} {
			if task(t, s.Store, uid).Status.AcceptedPlan == nil {
				t.Errorf("%s was not accepted", uid)
			}
		}
		d.Hidden("selected")
	})
}

func TestAnAgentCannotAccept(t *testing.T) {
	s := uitest.NewSmall()
	o := uitest.Options{Store: s.Store, Change: asRobot}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("Can't ").Press(keymap.Back)
		d.Status(s.Plan, model.StatusReviewPlan)
	})
}

func TestDiffBetweenRevisions(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: uitest.PlanText("lexer tokens") + "4. Measure it.\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Diff).See("revision 1", "revision 2", "Measure it").Press(keymap.PagerClose)
		goTo(d, "idea for later")
		d.Press(keymap.Diff).See("no plan yet")
	})
}

// In the history an event unfolds to what its revision changed, and the key of the difference
// shows that one, whatever was decided since.
func TestHistoryShowsWhatEachRevisionChanged(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: uitest.PlanText("lexer tokens") + "4. Measure it.\n"}},
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "still too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: uitest.PlanText("lexer tokens") + "4. Measure it.\n5. Say so.\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabHistory, keymap.FocusNext).Hidden("Measure it")
		d.Press(keymap.MoveDown, keymap.MoveDown) // rejected, revision 2
		d.Press(keymap.Open).See("plan revision 2", "+1 -0", "+ 4. Measure it").Hidden("Say so")
		d.Press(keymap.Diff).See("Plan of", "revision 1", "revision 2", "+ 4. Measure it").Hidden("Say so")
		d.Key("a").See("Plan of").Hidden("y Accept").Press(keymap.PagerClose) // no revision that waits
		d.Press(keymap.Open).Hidden("Measure it")
		d.Press(keymap.MoveUp, keymap.Diff).See("this event changed no text", "on the plan tab shows").Hidden("+ 5. Say so") // a verdict
		d.Press(keymap.MoveBottom, keymap.MoveUp).Press(keymap.Diff).See("Objective of", "nothing", "revision 1").Press(keymap.PagerClose)
	})
}

// An edit that nobody told the store about shows up within a second, says so, and is not
// accepted unawares.
func TestAForeignEditIsSeenAndSaid(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan).Hidden("Delete everything")
		s.Edit(s.Plan, model.Plan, uitest.PlanText("lexer tokens")+"4. Delete everything.\n")
		d.Sleep(1100*time.Millisecond).See("Delete everything", "The plan changed", "edited outside vespe")
		d.Press(keymap.Accept).See("changed while it was on screen").Press(keymap.ConfirmNo)
		d.Press(keymap.Diff).See("while it was on screen", "+ 4. Delete everything", "a accept")
		d.Press(keymap.Accept).See("Accept the plan of").Hidden("changed while it was on screen").Press(keymap.ConfirmYes)
		accepted := task(t, s.Store, s.Plan).Status.AcceptedPlan
		if accepted == nil || accepted.PlanRevision != 2 {
			t.Fatalf("accepted %+v; the edit was to become revision 2", accepted)
		}
	})
}

// The dialog for a plan says what its rendering hides, and leads to the objective; once the plan has changed its yes does
// not look as if it worked.
func TestTheDialogSaysWhatRenderingHides(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n<!-- delete everything -->\n\n" + strings.Repeat("A step.\n\n", 200)}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.TabPlan, keymap.FocusNext, keymap.Accept).See("Rendered Markdown hides 1 passage of the plan", "o objective")
		d.Press(keymap.ConfirmRead).See("Make lexer tokens work.").Press(keymap.PagerClose, keymap.ConfirmNo)
		d.Press(keymap.Accept).See("1 passage")
		s.Edit(s.Plan, model.Plan, uitest.PlanText("lexer tokens"))
		d.Sleep(1100 * time.Millisecond).See("the plan changed while this was open").Press(keymap.ConfirmNo)
	})
}

// The dialog for a plan says how much of it nobody has seen; what was read before counts.
func TestTheDialogSaysWhatIsUnread(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n" + strings.Repeat("- a step\n", 60) + "- drop the database\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("You have seen only").Hidden("drop the database").Press(keymap.ConfirmNo)
		d.Press(keymap.TabPlan, keymap.FocusNext, keymap.MoveBottom).See("drop the database")
		d.Press(keymap.MoveTop, keymap.Accept).See("You have seen only").Press(keymap.ConfirmNo) // what lies between was not on screen
		for range 10 {
			d.Press(keymap.MovePageDown)
		}
		d.Press(keymap.MoveTop, keymap.Accept).See("Accept the plan").Hidden("You have seen").Press(keymap.ConfirmNo)
		goTo(d, "parser")
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("Accept the plan").Hidden("You have seen")
	})
}

// Who has read all that changed since a revision that they decided on has seen the plan.
func TestWhatIsReadInTheDiffCounts(t *testing.T) {
	s := uitest.NewSmall()
	long := "# Plan\n\n" + strings.Repeat("- a step\n", 60)
	s.Must(
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: long}},
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "and the database?"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: long + strings.Repeat("- another step\n", 55) + "- keep the database\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Diff).See("your last decision").Hidden("keep the database").Press(keymap.PagerClose)
		d.Press(keymap.Accept).See("You have seen only").Press(keymap.ConfirmNo)
		d.Press(keymap.Diff, keymap.MoveBottom).See("keep the database").Press(keymap.PagerClose)
		d.Press(keymap.Accept).See("You have seen only").Press(keymap.ConfirmNo) // what lies between was not on screen
		d.Press(keymap.Diff, keymap.MoveTop, keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown, keymap.MoveBottom).See("keep the database").Press(keymap.PagerClose)
		d.Press(keymap.Accept).See("Accept the plan").Hidden("You have seen").Press(keymap.ConfirmNo)
	})
}

// A change that nobody asked for is named also to who did not decide on the revision before.
func TestTheDialogNamesUnaskedChangesOfOthers(t *testing.T) {
	s := uitest.NewSmall()
	one := uitest.PlanText("lexer tokens")
	two := strings.Replace(one, "1. Read the code.", "1. Read all of the code.", 1) + "\n\n## After\n\nDelete the database.\n"
	rejected(t, s.Store, s.Plan, []model.NewComment{{Place: place(t, one, "1. Read"), Text: "all of it?"}}, []string{"yes"}, two)
	bob := func(d *ui.Deps) { d.Actor = "human:bob" }
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40, Change: bob}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("1 change that no comment asked for")
	})
}

// What was done to many tasks leaves room for the keys that matter after it.
func TestALongMessageLeavesTheKeys(t *testing.T) {
	s := uitest.NewSmall()
	for _, name := range []string{"parser tables of the second kind", "parser tables of the third kind", "parser tables of the fourth kind"} {
		harmless(s.Store, s.Planned(name, s.Root))
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		for _, name := range []string{"the second kind", "the third kind", "the fourth kind"} {
			goTo(d, name)
			d.Press(keymap.Select)
		}
		d.Press(keymap.Accept, keymap.ConfirmYes).See("Accepted the plan of 3 tasks")
		inOrder(t, d.Line(39), "u ", ": palette", "? help")
	})
}

// A page of plain text scrolls by half of what it shows.
func TestAPageScrollsByHalf(t *testing.T) {
	s := uitest.NewStore()
	var lines strings.Builder
	for n := range 100 {
		fmt.Fprintf(&lines, "line %d.\n", n)
	}
	uid := s.Task("long", "")
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: lines.String()}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "long")
		d.Press(keymap.Accept, keymap.ConfirmRead).See(" line 0.", " line 30.").Hidden(" line 50.")
		d.Press(keymap.MoveHalfDown).See(" line 20.", " line 50.").Hidden(" line 0.")
		d.Press(keymap.MoveHalfUp).See(" line 0.", " line 30.").Hidden(" line 50.")
	})
}
