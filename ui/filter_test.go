package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// While a term is typed the tree keeps showing what the last whole filter left.
func TestAnUnfinishedFilterEmptiesNothing(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.FilterStart)
		for _, key := range strings.Split("is:bl", "") {
			d.Type(key).See("release", "idea for later").Hidden("No task matches", "unknown value")
		}
		d.Type("ocked").See("release", "1 of 7").Hidden("idea for later")
		d.Type(" st").See("release").Hidden("idea for later", "No task matches")
		d.Type("atus:re").See("ready", "replan").Hidden("idea for later", "No task matches")
		d.Press(keymap.PromptCancel).See("idea for later")
	})
}

func TestTabCompletesAFilter(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		bar := func(want string) {
			t.Helper()
			if got := d.Line(39); !strings.Contains(got, want) {
				t.Fatalf("the bar says %q, want %q", got, want)
			}
		}
		d.Press(keymap.FilterStart).Type("st").Press(keymap.PromptComplete)
		bar("status:")
		d.Type("bl").Press(keymap.PromptComplete)
		bar("status:blocked")
		d.Hidden("idea for later").Type(",rep").Press(keymap.PromptComplete)
		bar("status:blocked,replan")
		d.Key("ctrl+u").Type("-under:b").Press(keymap.PromptComplete)
		bar(`-under:"Build the parser"`)
		d.See("release").Hidden("fuzz targets")
		// Several fit: what they have in common first, then one after the other.
		d.Key("ctrl+u").Type("has:d").Press(keymap.PromptComplete)
		bar("has:de")
		d.Press(keymap.PromptComplete, keymap.PromptComplete)
		bar("has:dependents")
		d.Press(keymap.PromptComplete)
		bar("has:description")
		d.Key("ctrl+u").Type("is:work").Press(keymap.PromptComplete)
		bar("is:work-review")
		d.Press(keymap.PromptSubmit).See("grammar notes").Hidden("fuzz targets")
	})
}

// A filter that cannot be understood says so in full, whatever the width, and is not
// taken.
func TestAWrongFilterIsReadableInFull(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 30}, func(d *uitest.Driver) {
		d.Press(keymap.FilterStart).Type("priority:xyz").See("priority: unknown value xyz", "critical, high, medium, low, none")
		d.Press(keymap.PromptSubmit).See("Not applied", "critical, high, medium, low", "none", "idea for later")
		d.Press(keymap.PromptCancel).Hidden("Not applied").See("idea for later")
	})
}

// Giving a filter up brings back the cursor, the folds and what was in view.
func TestGivingAFilterUpBringsTheViewBack(t *testing.T) {
	s := uitest.Large(300)
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		for _, view := range []keymap.Action{keymap.ViewTree, keymap.ViewLanes, keymap.ViewMap} {
			d.Press(view, keymap.MovePageDown, keymap.MovePageDown, keymap.MoveUp, keymap.MoveUp)
			before := d.Screen()
			d.Press(keymap.FilterStart).Type("number 7")
			if d.Screen() == before {
				t.Fatal("the filter changed nothing")
			}
			d.Press(keymap.PromptCancel)
			if got := d.Screen(); got != before {
				t.Errorf("%s: the screen is another:\n%s\nbefore:\n%s", view, got, before)
			}
		}
	})
}

func TestGivingAFilterUpInTheInbox(t *testing.T) {
	s := uitest.NewSmall()
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.Planned(name, "")
	}
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveBottom, keymap.MoveUp)
		before := d.Screen()
		d.Press(keymap.FilterStart).Type("alpha").Press(keymap.PromptCancel)
		if got := d.Screen(); got != before {
			t.Errorf("the screen is another:\n%s\nbefore:\n%s", got, before)
		}
	})
}

// The keys of a diff are said where it is; the help there lists them and no others.
func TestADiffSaysItsKeys(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.RejectPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "too short"},
		model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: uitest.PlanText("lexer tokens") + "4. Measure it.\n"}},
	)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Diff).See("n next change", "z all lines", "v split", "esc close")
		d.Press(keymap.DiffSplit).See("Too narrow to show both side by side")
		d.Press(keymap.MoveDown).Hidden("There is no room")
		d.Press(keymap.Help).See("all lines", "split", "next change", "reject").Hidden("unfold", "in the tree", "typing a line")
		d.Press(keymap.PickerCancel).Press(keymap.PagerClose)
		d.Press(keymap.Log, keymap.Help).Hidden("all lines", "split").Press(keymap.PickerCancel, keymap.PagerClose)
	})
}

// A plan that changes while the dialog for accepting it is open cannot be accepted there;
// the dialog leads to the difference, and from there to a dialog for what is there now.
func TestTheDialogLeadsToTheDifference(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept).See("revision 1").Hidden("what changed", "edited outside vespe")
		s.Edit(s.Plan, model.Plan, uitest.PlanText("lexer tokens")+"4. Delete everything.\n")
		d.Sleep(1100*1e6).See("the plan changed while this was open", "d what changed")
		d.Press(keymap.ConfirmDiff).See("+ 4. Delete everything").Press(keymap.PagerClose)
		d.See("edited outside vespe", "y Accept").Hidden("the plan changed while")
		d.Press(keymap.ConfirmYes)
		accepted := task(t, s.Store, s.Plan).Status.AcceptedPlan
		if accepted == nil || accepted.PlanRevision != 2 {
			t.Fatalf("accepted %+v", accepted)
		}
	})
}

// Which match the cursor is on is no longer said when the search is over.
func TestTheCountOfMatchesEndsWithTheSearch(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.SearchStart).Type("e").Press(keymap.SearchKeep, keymap.SearchNext).See("Match 2 of")
		d.Press(keymap.Back).Hidden("match 2 of")
	})
}

// A dialog that nearly has the screen has all of it: no border of what lies behind shows
// beneath its own.
func TestADialogOfAScreenHasAllOfIt(t *testing.T) {
	for lines := 25; lines < 45; lines++ {
		s := uitest.NewStore()
		uid := s.Task("a long plan", "")
		s.Must(
			model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "x\n"}},
			model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: strings.Repeat("a step\n", lines)}},
		)
		uitest.Run(t, uitest.Options{Store: s, W: 120, H: 40}, func(d *uitest.Driver) {
			goTo(d, "a long plan")
			d.Press(keymap.TabHistory, keymap.FocusNext, keymap.Diff).See("+ a step")
			borders := 0
			for y := 35; y < 40; y++ {
				if strings.Contains(d.Line(y), "╰") {
					borders++
				}
			}
			if borders > 1 {
				t.Errorf("with %d lines there are %d borders at the bottom:\n%s", lines, borders, d.Screen())
			}
			d.Press(keymap.PagerClose)
		})
	}
}

// A parent that is paused already is not said to be paused by a subtask.
func TestASubtaskOfAPausedTask(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.NewSubtask).See("it will be paused").Press(keymap.PromptCancel)
		s.Must(model.Op{Name: model.Pause, UID: s.Run, Actor: uitest.Ann, Reason: "lunch"})
		d.Sleep(2 * time.Second).Press(keymap.NewSubtask).See("New subtask").Hidden("it will be paused").Press(keymap.PromptCancel)
	})
}
