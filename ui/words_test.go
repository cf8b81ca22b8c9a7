package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// A refusal stays until it is dismissed or somebody continues; keys that were under way when
// it came do not count.
func TestGoingOnDismissesARefusal(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "release")
		d.Press(keymap.Start).See("Can't start").Press(keymap.MoveUp).See("Can't start")
		d.Sleep(time.Second).Press(keymap.Accept).See("Can't start", "1 more") // a second refusal is no success
		goTo(d, "lexer tokens")
		d.Hidden("Can't ").Press(keymap.Log).See("Can't start").Press(keymap.PagerClose)
	})
}

// What succeeds later is not squeezed below what failed before.
func TestASuccessTakesThePlaceOfAnOlderFailure(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.Pause)
		s.Must(model.Op{Name: model.Pause, UID: s.Run, Actor: uitest.Robot})
		d.Press(keymap.PromptSubmit).See("Can't pause").Sleep(time.Second)
		d.Press(keymap.Pause).Press(keymap.ConfirmYes)
		d.See("Resumed").Hidden("Can't pause")
	})
}

// A message is never cut by the hints; a long one takes lines of its own.
func TestAMessageHasTheWholeLine(t *testing.T) {
	s := uitest.NewStore()
	long := "a name that is as long as the names of tasks are when nobody has told their authors to be brief about it"
	uid := s.Planned(long, "")
	uitest.Run(t, uitest.Options{Store: s, W: 100, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.Accept, keymap.ConfirmYes)
		d.Status(uid, model.StatusReady)
		said := strings.Join(strings.Fields(d.Line(37)+d.Line(38)+d.Line(39)), " ")
		if !strings.Contains(said, "Accepted the plan of") || !strings.Contains(said, "It can start.") {
			t.Errorf("the message is cut:\n%s", d.Screen())
		}
		d.Sleep(time.Minute).Hidden("Accepted the plan")
	})
}

// People read statuses, not the states of files and not the names of guards.
func TestRefusalsSpeakInStatuses(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "idea for later")
		d.Press(keymap.Accept).See("its status is New, and this needs a plan under review").Hidden("plan_defined", "guard")
		d.Press(keymap.Back).Palette(keymap.UndoOther).See("no decision here yet").Press(keymap.PickerCancel)
	})
}

// A task that waits for a person is answered, in as many lines as it takes.
func TestAWaitingTaskIsAnswered(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.Pause, UID: s.Run, Actor: uitest.Robot, Reason: "hitl: which port shall it use?"})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Status(s.Run, model.StatusWaiting).See("p answer")
		d.Press(keymap.Pause).See("Answer", "which port shall it use?")
		d.Type("8080").Key("enter").Type("it is free").Press(keymap.ComposeSend)
		d.Status(s.Run, model.StatusRunning)
		events, _, err := s.History(t.Context(), s.Run)
		if err != nil {
			t.Fatal(err)
		}
		if got := events[len(events)-1].Reason; got != "8080\nit is free" {
			t.Errorf("the answer is %q", got)
		}
	})
}

// The last line of a text needs no line feed to be one.
func TestTheDialogCountsLines(t *testing.T) {
	s := uitest.NewStore()
	for text, want := range map[string]string{"one": "1 line", "one\n": "1 line", "one\ntwo": "2 lines"} {
		uid := s.Planned("task of "+want+text[len(text)-1:], "")
		s.Must(model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: text}})
		uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
			d.Press(keymap.MoveBottom, keymap.Accept, keymap.ConfirmDetails)
			x, y := d.Find("plan       revision 2")
			if x < 0 || !strings.Contains(d.Line(y), "  "+want+" ") {
				t.Errorf("%q is not %s:\n%s", text, want, d.Screen())
			}
			d.Press(keymap.ConfirmNo)
		})
	}
}

// What the dialog names of a plan stands in columns, also where the task would wait for others.
func TestTheDialogHasColumns(t *testing.T) {
	s := uitest.NewStore()
	s.Planned("waiting", "", s.Planned("first", ""))
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.MoveTop).Type("/waiting").Press(keymap.SearchKeep, keymap.Accept, keymap.ConfirmDetails)
		dot, plan := d.Find("· plan ")
		if dot < 0 {
			t.Fatalf("no dialog:\n%s", d.Screen())
		}
		at := strings.Index(d.Line(plan), "revision")
		if got := strings.Index(d.Line(plan+1), `"first"`); got != at {
			t.Errorf("the dependency is at %d, the revision at %d:\n%s", got, at, d.Screen())
		}
	})
}

// The help explains every sign of the screen, and finds them by their words.
func TestTheHelpExplainsTheSymbols(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 60}, func(d *uitest.Driver) {
		d.Press(keymap.Help).Type("symbols").See("Symbols")
		for _, st := range model.Statuses() {
			d.See(st.Glyph(false) + " ")
		}
		d.Key("esc").Type("depends on blocked").See("⊗", "waits for a task that it depends on")
		d.Key("esc").Type("leaf").See("3/8").Key("esc").Type("critical").See("↑↑").Key("esc")
		d.Key("q").Hidden("Symbols", "type to search").See("Build the parser")
	})
}
