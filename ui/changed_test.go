package ui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

var gutterSigns = regexp.MustCompile(`│[ ▌]+\d+([^\d\s]*)[^│]*$`)

// gutterOf is what stands between the number of a line of the plan and its text.
func gutterOf(d *uitest.Driver, text string) string {
	d.T.Helper()
	line := d.Line(lineOf(d, text))
	found := gutterSigns.FindStringSubmatch(line[:strings.Index(line, text)])
	if found == nil {
		d.T.Fatalf("there is no gutter in %q", line)
	}
	return strings.ReplaceAll(found[1], "▎", "|")
}

// The plan itself shows what changed since the revision that this reviewer decided on: what is
// new, what is another, where something is gone, and what of it no comment asked for.
func TestChangesInTheGutterOfAPlan(t *testing.T) {
	s := uitest.NewSmall()
	one := "# Plan\n\nRead the code.\n\nWrite the test.\n\nMake it pass.\n\nShip it.\n\nTell them.\n\nGo home.\n\nSleep.\n\nWake up.\n"
	s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: one}})
	two := strings.NewReplacer("Write the test.", "Write the test, with examples.", "Tell them.\n\n", "", "Wake up.\n", "Wake up.\n\nDelete the old lexer.\n").Replace(one)
	rejected(t, s.Store, s.Plan, []model.NewComment{{Kind: model.Demand, Place: place(t, one, "Write"), Text: "say which"}}, []string{"done"}, two)
	uitest.Run(t, uitest.Options{Store: s.Store, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("3 changes, 2 unasked")
		for text, want := range map[string]string{
			"Read the code.": "", "Write the test, with": "~|", "Go home.": "", "Delete the old lexer.": "+!",
		} {
			if got := gutterOf(d, text); got != want {
				t.Errorf("beside %q stands %q, want %q\n%s", text, got, want, d.Screen())
			}
		}
		if gap := d.Line(lineOf(d, "Go home.") - 1); !strings.Contains(gap, "-!") {
			t.Errorf("where something is gone stands %q\n%s", gap, d.Screen())
		}
		d.Press(keymap.PlaceNext).See("change 1/3").Hidden("1/3, unasked")
		d.Press(keymap.PlaceNext, keymap.PlaceNext).See("change 2/3, 2 lines gone, unasked")
		d.Press(keymap.PlaceNext).See("change 3/3, unasked").Press(keymap.Comment).See("On line 17 of the plan: Delete the old lexer").Press(keymap.ComposeLeave)
		d.Press(keymap.PlaceNext).See("change 1/3").Press(keymap.PlacePrev).See("change 3/3")
		d.Press(keymap.PlacePrev, keymap.PlacePrev, keymap.PlacePrev).See("change 1/3") // a comment lies between
		d.Press(keymap.Raw).See("change 1/3").Press(keymap.PlaceNext, keymap.PlaceNext).See("change 2/3")
		// In the difference the same keys go through the same changes.
		d.Press(keymap.Raw, keymap.Diff).See("your last decision").Key("J").Key("J").See("Delete the old lexer").Press(keymap.PagerClose)
	})
}

// The marks follow the plan while it is open.
func TestChangesFollowThePlan(t *testing.T) {
	s := uitest.NewSmall()
	one := uitest.PlanText("lexer tokens")
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Reject).Type("no").Press(keymap.ComposeSend)
		s.Must(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: one + "4. More.\n"}})
		d.Sleep(1500*time.Millisecond).See("More.", "1 change")
		if got := gutterOf(d, "More."); got != "+" {
			t.Errorf("beside what is new stands %q\n%s", got, d.Screen())
		}
	})
}

// A text that was edited past vespe is compared with the revision that was decided on, too, also
// where that is the latest.
func TestChangesOfATextWithoutARevision(t *testing.T) {
	s := uitest.NewSmall()
	one := uitest.PlanText("lexer tokens")
	s.Must(model.Op{Name: model.QuestionPlan, UID: s.Plan, Actor: uitest.Ann, Reason: "how?"})
	s.Edit(s.Plan, model.Plan, one+"4. More.\n")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("edited outside vespe", "1 change").Press(keymap.PlaceNext).See("change 1/1")
		if got := gutterOf(d, "More."); got != "+" {
			t.Errorf("beside what is new stands %q\n%s", got, d.Screen())
		}
		d.Press(keymap.Diff).See("revision 1, your last decision", "the file as it is now").Press(keymap.PagerClose)
	})
}
