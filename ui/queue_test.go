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

// counted presses keys as they are, and counts them; between two a person rests.
type counted struct {
	*uitest.Driver
	n int
}

func (c *counted) keys(keys ...string) *counted {
	for _, k := range keys {
		c.Sleep(300 * time.Millisecond).Key(k)
		c.n++
	}
	return c
}

// say types a text, whose letters are not counted.
func (c *counted) say(text string) *counted { c.Type(text); return c }

// needs fails when more keys were pressed since the last count.
func (c *counted) needs(t *testing.T, what string, most int) {
	t.Helper()
	if c.n > most {
		t.Errorf("%s: %d keys, %d are wanted", what, c.n, most)
	}
	c.n = 0
}

func queue(t *testing.T, s *uitest.Store, f func(c *counted)) {
	t.Helper()
	uitest.Run(t, uitest.Options{Store: s}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox).Sleep(time.Second)
		f(&counted{Driver: d})
	})
}

// The queue is cleared from the list: what the preview shows is decided on, and the next item follows.
func TestTheQueueInFewKeys(t *testing.T) {
	s := uitest.NewStore()
	first, second := s.Planned("first plan", ""), s.Planned("second plan", "")
	queue(t, s, func(c *counted) {
		c.See("Plan for first plan")
		c.keys("a", "y").needs(t, "accept a plan", 2)
		c.Status(first, model.StatusReady).See("Accepted", "u undo", "Plan for second plan")
		c.keys("a", "y").needs(t, "accept the next plan", 2)
		c.Status(second, model.StatusReady)
		c.keys("u").needs(t, "take it back", 1)
		c.Status(second, model.StatusReviewPlan)
	})

	s = uitest.NewStore()
	first = s.Planned("first plan", "")
	queue(t, s, func(c *counted) { // lines 3 and 5 of it
		c.keys("enter", "c").say("which code?").keys("ctrl+s", "j", "j", "c").say("how?").keys("ctrl+s")
		c.keys("r").say("not yet").keys("ctrl+s").needs(t, "open, comment on two lines, reject", 9)
		for i, from := range []int{3, 5} {
			if got := reviewOf(t, s, first).Comments; len(got) != 2 || got[i].Place.From != from {
				t.Errorf("the comments are %+v", got)
			}
		}
	})

	s = uitest.NewStore()
	first = s.Planned("first plan", "")
	one := uitest.PlanText("first plan")
	two := strings.Replace(one, "2. Write the test.", "2. Write the test, with examples.", 1)
	rejected(t, s, first, []model.NewComment{{Kind: model.Demand, Place: place(t, one, "2. Write"), Text: "say which examples"}}, []string{"one of each"}, two)
	queue(t, s, func(c *counted) { // the preview shows what has changed
		c.See("with examples")
		if row := c.Line(lineOf(c.Driver, "with examples")); !strings.Contains(row, "~") {
			t.Errorf("no change is marked: %s", row)
		}
		c.keys("a", "y").needs(t, "see what changed and accept", 2)
		c.Status(first, model.StatusReady)
	})

	asks := ask(model.NewRequest{Kind: model.KindQuestion, Title: "Which way?", Options: []string{"left", "right"}, Risk: model.RiskLow})
	asks.ask(action())
	queue(t, asks.Store, func(c *counted) {
		c.See("Which way?", "1-2 choose", "the number chooses").Hidden("2 tasks")
		c.keys("2").needs(t, "choose", 1)
		if q := asks.state(t, model.RequestAccepted); q.Answer.Choice != "right" {
			t.Errorf("chosen %q", q.Answer.Choice)
		}
		c.keys("2").See("2 tasks", "Build the parser") // the next has no options: a number means the view again
	})

	asks = ask(action())
	queue(t, asks.Store, func(c *counted) {
		c.Key("o", "y").See("Too soon after another key") // of "boy", meant for another window
		asks.state(t, model.RequestPending)
		c.keys("esc").n = 0
		c.keys("x").say("not now").keys("ctrl+s").needs(t, "deny with a reason", 2)
		asks.state(t, model.RequestDenied)
	})

	asks = ask(action())
	again := action()
	again.Title = "Remove the second build"
	asks.ask(again)
	queue(t, asks.Store, func(c *counted) { // of several requests of a task, the one that waits again is selected
		c.keys("j").See("▌ ? Remove the second build")
		c.keys("x").say("not now").keys("ctrl+s").Hidden("▌ ? Remove the second")
		c.keys("u").See("Undid", "▌ ? Remove the second build")
	})

	asks = ask(action())
	for i := range 4 {
		n := action()
		n.Title = fmt.Sprintf("Remove build %d", i)
		asks.ask(n)
	}
	n := action()
	n.Title, n.Risk = "Drop the database", model.RiskHigh
	high := asks.ask(n)
	queue(t, asks.Store, func(c *counted) {
		for range 5 { // to one with low risk, whichever is first
			if _, y := c.Find("▌ ? Remove"); y >= 0 {
				break
			}
			c.Press(keymap.MoveDown)
		}
		c.keys("ctrl+a", "y").See("Approve 5 low-risk requests")
		c.keys("y").needs(t, "approve five", 3)
		for _, q := range asks.Snapshot().Requests() {
			if want := map[bool]string{true: model.RequestPending, false: model.RequestAccepted}[q.ID == high]; q.State != want {
				t.Errorf("%q is %s", q.Title, q.State)
			}
		}
	})
}

// A key that does nothing in a dialog says so, also one that does something in other dialogs; and nothing is decided.
func TestADeadKeyInADialogSaysSo(t *testing.T) {
	s := uitest.NewStore()
	uid := s.Planned("first plan", "")
	queue(t, s, func(c *counted) {
		c.keys("a").See("Accept the plan of")
		c.keys("z").See("The key z does nothing here. Elsewhere: Show more of it", "Accept the plan of")
		c.keys("d").Hidden("Farther works").See("Accept the plan of") // nothing has changed that it could show
		c.See("The key d does nothing here. Elsewhere: Show what changed.").Status(uid, model.StatusReviewPlan)
		c.keys("y").Status(uid, model.StatusReady)
	})
}

// A chord that a person has set shows every key that continues it.
func TestAChordShowsHowItContinues(t *testing.T) {
	keys, err := keymap.Default().With(map[keymap.Action][]string{keymap.CopyID: {"Y i"}, keymap.CopyName: {"Y n"}, keymap.Abort: {"Y a"}})
	if err != nil {
		t.Fatal(err)
	}
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24, Change: func(d *ui.Deps) { d.Keymap = keys }}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Key("Y").See("i copy id", "n copy name", "a abort").Key("esc").Hidden("copy id")
	})
}

// Keys that end a text do nothing more: they neither send comments nor say yes.
func TestAKeyThatIsHeldSendsNothingMore(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Comment).Type("why?").Key("ctrl+s", "ctrl+s", "ctrl+s").See("1 draft")
		if b := task(t, s.Store, s.Plan).Status.Comments; b != nil && b.Open > 0 {
			t.Errorf("comments were sent: %+v", b)
		}
		d.Sleep(time.Second).Key("ctrl+s").See("1 open").Hidden("1 draft")
		d.Press(keymap.Accept).Sleep(time.Second).Key("ctrl+s", "alt+enter")
		d.Status(s.Plan, model.StatusReviewPlan).Press(keymap.ConfirmNo)
	})
}

// A paused task continues by the key that paused it, also with a plan that nobody has decided on.
func TestAPausedPlanIsResumed(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.Pause, UID: s.Plan, Actor: uitest.Ann, Reason: "later"})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Status(s.Plan, model.StatusPaused).See("p resume").Press(keymap.Pause).See("Resume").Press(keymap.ConfirmYes)
		d.Status(s.Plan, model.StatusReviewPlan)
	})
}

// The keys that the overview names are those of the view on screen.
func TestTheOverviewNamesKeysOfTheView(t *testing.T) {
	run(t, ask(action()), func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.TabNext, keymap.TabPrev).See(":open request")
		d.Press(keymap.ViewTree).Hidden(":open request").See("│   y open request ")
	})
}

// The palette goes to a task by its name, takes what is typed as a filter, a search or a new task, and sets the theme.
func TestThePaletteTakesWhatIsTyped(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.Palette).Hidden("fuzz targets  task").Type("fuzz tar").See("fuzz targets  task").Press(keymap.PickerChoose).See("▌╰╴ ▷ fuzz targets")
		pick := func(typed, row string) {
			t.Helper()
			d.Press(keymap.Palette).Type(typed).See(row)
			for range 40 {
				if strings.Contains(d.Screen(), "▌"+row) {
					break
				}
				d.Press(keymap.PickerDown)
			}
			d.Press(keymap.PickerChoose)
		}
		pick("is:ready", `filter by "is:ready"`)
		d.See("fuzz targets").Hidden("lexer tokens").Press(keymap.Back)
		pick("a new thing", `new task "a new thing"`)
		d.See("▌╰╴ ◦ a new thing")
		pick("contrast", "theme contrast")
		if got := d.App.Habits().Theme; got != "contrast" {
			t.Errorf("the theme is %q", got)
		}
	})
}

// The palette finds an action by what it does, and the help begins with what can be done here.
func TestActionsAreFoundByMeaning(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		for typed, want := range map[string]string{"kanban": "board", "legend": "help", "colors": "theme", "lgtm": "accept", "snooze": "pause or defer"} {
			d.Press(keymap.Palette).Type(typed).See(want).Press(keymap.PickerCancel)
		}
		d.Press(keymap.Help).See("Here you can")
		inOrder(t, d.Screen(), "Here you can", "Accept the plan", "Send the plan")
	})
}
