package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// asking is a store with a task that a robot works on and has asked about.
type asking struct {
	*uitest.Small
	id string
}

const look = 800 * time.Millisecond // longer than a request has to be looked at

func ask(n model.NewRequest) *asking {
	s := &asking{Small: uitest.NewSmall()}
	s.id = s.ask(n)
	return s
}

func (s *asking) ask(n model.NewRequest) string { return s.Ask(s.Run, n) }

func (s *asking) request(t *testing.T, id string) model.Request {
	t.Helper()
	for _, q := range s.Snapshot().Requests() {
		if q.ID == id {
			return q
		}
	}
	t.Fatalf("there is no request %s", id)
	return model.Request{}
}

func (s *asking) state(t *testing.T, want string) model.Request {
	t.Helper()
	q := s.request(t, s.id)
	if q.State != want {
		t.Fatalf("the request is %s, want %s", q.State, want)
	}
	return q
}

func action() model.NewRequest {
	return model.NewRequest{
		Kind: model.KindAction, Title: "Remove the old build", Detail: "It is **in the way**.\n", Risk: model.RiskLow,
		Args: []byte(`{"command":  "rm -r build", "n": 1.0, "force": true}`),
	}
}

// open goes to the request in the inbox and opens it.
func open(d *uitest.Driver, title string) {
	d.T.Helper()
	d.Press(keymap.ViewInbox, keymap.SearchStart).Type(title).Press(keymap.SearchKeep).Press(keymap.Back)
	d.Press(keymap.Open).See("esc close")
}

func run(t *testing.T, s *asking, f func(d *uitest.Driver)) {
	t.Helper()
	uitest.Run(t, uitest.Options{Store: s.Store}, f)
}

// until waits for something to come on the screen, and no longer.
func until(d *uitest.Driver, text string) *uitest.Driver {
	d.T.Helper()
	for range 40 {
		if strings.Contains(d.Screen(), text) {
			return d
		}
		d.Sleep(50 * time.Millisecond)
	}
	return d.See(text)
}

func TestARequestIsShownWhole(t *testing.T) {
	n := action()
	n.Detail += strings.Repeat("More of it.\n\n", 60) + "The very end.\n"
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.See("Action", "low risk", "robot (agent)", "rm -r build", "in the way")
		seen := d.Screen()
		for range 12 {
			d.Key("pgdown")
			seen += d.Screen()
		}
		for _, want := range []string{
			"The very end", "rm -r build", "n         1.0", "never", "error messages", "What robot (agent) did just before", "Defined the plan", "Started",
			"Start", "no other task",
		} {
			if !strings.Contains(seen, want) {
				t.Errorf("%q was never on screen:\n%s", want, d.Screen())
			}
		}
		d.Press(keymap.Raw, keymap.MoveTop).See("byte for byte", `{"command":  "rm -r build", "n": 1.0`)
		d.Press(keymap.RequestClose).Hidden("esc close")
	})
}

func TestApprove(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Press(keymap.RequestAccept).See("just appeared")
		s.state(t, model.RequestPending)
		d.Sleep(look).Press(keymap.RequestAccept).Hidden("asked by  ").See("Approved")
		q := s.state(t, model.RequestAccepted)
		if q.Answer.By != uitest.Ann {
			t.Errorf("answered by %s", q.Answer.By)
		}
		d.Status(s.Run, model.StatusRunning)
	})
}

// Nothing but its own key decides: not enter, not space, not a paste, not the wheel.
func TestNothingDecidesByAccident(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Key("$").See("No action has the key $", "? shows the keys").
			Key(":").See("The key : does nothing here. Elsewhere: List every action.").Key("enter", "space", "tab", "esc").Hidden("esc close")
		s.state(t, model.RequestPending)
	})
}

func TestDenyNeedsWords(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDeny, keymap.ComposeSend).See("can't be empty")
		s.state(t, model.RequestPending)
		d.Type("not on a Friday").Press(keymap.ComposeSend).See("Denied")
		if q := s.state(t, model.RequestDenied); q.Answer.Text != "not on a Friday" {
			t.Errorf("denied with %q", q.Answer.Text)
		}
	})
}

func TestRespond(t *testing.T) {
	s := ask(model.NewRequest{Title: "Which port?"})
	run(t, s, func(d *uitest.Driver) {
		open(d, "Which port")
		d.Sleep(look).Press(keymap.RequestAccept).See("takes only respond, deny, defer")
		d.Press(keymap.RequestEdit).See("it has no arguments").Press(keymap.RequestChoose).See("it has no options")
		d.Press(keymap.RequestRespond).Type("8080").Press(keymap.ComposeSend)
		if q := s.state(t, model.RequestResponded); q.Answer.Text != "8080" {
			t.Errorf("answered %q", q.Answer.Text)
		}
	})
}

func TestChoose(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080"}})
	run(t, s, func(d *uitest.Driver) {
		open(d, "Which port")
		d.Key("2").See("just appeared").Sleep(look)
		d.Press(keymap.RequestAccept).See("choose one of its options").Key("3").See("no option 3")
		s.state(t, model.RequestPending)
		d.Key("2")
		if q := s.state(t, model.RequestAccepted); q.Answer.Choice != "8080" {
			t.Errorf("chose %q", q.Answer.Choice)
		}
	})
}

// More options than keys are listed, and the one that is taken is asked about.
func TestChooseOneOfMany(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindChoice, Title: "Which month?", Options: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")})
	run(t, s, func(d *uitest.Driver) {
		open(d, "Which month")
		d.Sleep(look).Press(keymap.RequestOptions).Type("dec").Press(keymap.PickerChoose).See("dec")
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmYes)
		if q := s.state(t, model.RequestAccepted); q.Answer.Choice != "dec" {
			t.Errorf("chose %q", q.Answer.Choice)
		}
	})
}

func TestDefer(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDefer)
		s.state(t, model.RequestDeferred)
		d.Status(s.Run, model.StatusWaiting)
	})
}

// Arguments are edited as JSON. What is no object is not sent, and what was typed is kept.
func TestEditTheArguments(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).See("Other arguments", `"command": "rm -r build",`, `"n": 1.0,`, "show changes")
		d.Press(keymap.ComposeSend).See("Nothing was changed").Press(keymap.RequestEdit)
		d.Key("up", "up", "up", "end", "left", "left").Type("/x").Key("down", "end", "left", "backspace").Type("x")
		d.Press(keymap.ComposeSend).See("Line 3 isn't valid JSON: unexpected 'x'")
		d.Press(keymap.ComposeLeave, keymap.RequestEdit).See(isDraft, `"rm -r build/x",`, `"n": 1.x,`)
		d.Key("up", "up", "end", "left", "backspace").Type("5").Press(keymap.ComposeSend)
		d.See("Approve with other arguments", `command: "rm -r build/x"`, `command: "rm -r build"`, "n: 1.5").Hidden("force: true")
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmYes)
		q := s.state(t, model.RequestEdited)
		if got, want := string(q.Answer.Args), `{"command":"rm -r build/x","n":1.5,"force":true}`; got != want {
			t.Errorf("edited to %s, want %s", got, want)
		}
	})
}

// Arguments in which others are nested are edited in the same way. What a terminal would hide stands there as an escape,
// which is no change.
func TestEditNestedArguments(t *testing.T) {
	n := action()
	n.Args = []byte("{\"n\": \"a\u202eb\", \"steps\": [{\"run\": \"make\"}]}")
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).See(`"n": "a\u202eb"`, `"run": "make"`).Press(keymap.ComposeSend).See("Nothing was changed")
		d.Press(keymap.RequestEdit).Key("up", "up", "up", "end", "left").Type(" test").Press(keymap.ComposeSend)
		d.See("Approve with other arguments", `steps: [{"run":"make test"}]`)
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmYes)
		q := s.state(t, model.RequestEdited)
		if got, want := string(q.Answer.Args), `{"n":"a\u202eb","steps":[{"run":"make test"}]}`; got != want {
			t.Errorf("edited to %s, want %s", got, want)
		}
	})
}

// Another key than those of a request says what decides on it.
func TestAcceptOnARequestSaysWhatDoes(t *testing.T) {
	choice := model.NewRequest{Kind: model.KindChoice, Title: "Which way", Options: []string{"left", "right"}}
	for says, n := range map[string]model.NewRequest{"y approves it": action(), "enter opens it": choice} {
		uitest.Run(t, uitest.Options{Store: ask(n).Store}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.SearchStart).Type(n.Title).Press(keymap.SearchKeep).Press(keymap.Back)
			d.Press(keymap.Accept).See(says)
		})
	}
}

// What was done just before is said in whole words, without a preposition that leads nowhere.
func TestWhatWasDoneBeforeIsSaidWhole(t *testing.T) {
	s := &asking{Small: uitest.NewSmall()}
	s.Must(model.Op{Name: model.AddDependency, UID: s.Run, Actor: uitest.Robot, Args: model.DependencyEdit{DependsOn: []model.UID{s.Work}}})
	s.id = s.ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Key("pgdown").See("Added a dependency").Hidden("Added a dependency to")
	})
}

// Beside the inbox the same key edits the request, and no plan that isn't shown.
func TestARequestIsEditedFromTheInbox(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: ask(action()).Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.SearchStart).Type("Remove the old").Press(keymap.SearchKeep).Press(keymap.Back)
		d.Sleep(look).Press(keymap.EditShown).See("Other arguments", `"command": "rm -r build"`)
	})
}

// What was only looked at, or put back, is no change, whatever the box does not keep as it is written.
func TestArgumentsAreNotChangedByTheBox(t *testing.T) {
	n := action()
	n.Args = []byte("{\"a\": \"x\ufffdy\u200b\\t\\r\\u0007\\u00e9\\/\", \"b\": [1,2], \"n\": 1.0}")
	s, k := ask(n), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).See(`"a": "x\ufffdy\u200b\t\r\u0007`).Press(keymap.ComposeSend).See("Nothing was changed")
		d.Press(keymap.RequestEdit).Type("x").Key("backspace").Press(keymap.ComposeLeave)
		d.Press(keymap.RequestEdit).Hidden(isDraft).Key(slices.Repeat([]string{"ctrl+u", "backspace"}, 12)...)
		d.Paste(`{"b": [1, 2], "n": 1.0, "a": "x\ufffdy\u200b\t\r\u0007é/"}`).Press(keymap.ComposeSend).See("Nothing was changed").Sleep(time.Second)
	})
	if got := keptOf(t, k, s.Run); got != "" {
		t.Errorf("kept %q", got)
	}
}

// The question lists the members that differ, and no other, however they are written.
func TestOnlyArgumentsThatDifferAreListed(t *testing.T) {
	n := action()
	n.Args = []byte("{\"a\": 1, \"c\": \"x\u200by\ufffd\", \"o\": {\"q\": 1, \"p\": \"\\u00e9\"}}")
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).Key(slices.Repeat([]string{"up"}, 6)...).Key("end", "left").Type("0").Press(keymap.ComposeSend)
		d.See("Approve with other arguments", "a: 10").Hidden("c: ", "o: ").Press(keymap.ConfirmNo)
	})
}

// Arguments of more lines than the box keeps are not opened there. Long ones are, and are sent without their layout.
func TestEditManyArguments(t *testing.T) {
	n := action()
	n.Args = []byte(`{"n": [` + strings.Repeat("12,", 12_000) + `3]}`)
	s, k := ask(n), &uitest.Drafts{}
	n.Title, n.Args = "Which ports?", []byte(`{"n": [[[[[[[`+strings.Repeat("1234,", 3_000)+`3]]]]]]]}`)
	other := s.ask(n)
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestEdit).See("The arguments don't fit in the editor", "x denies").Hidden("Other arguments").Press(keymap.RequestClose)
		open(d, "Which ports")
		d.Sleep(look).Press(keymap.RequestEdit).See("Other arguments").Key(slices.Repeat([]string{"up"}, 8)...).Key("end").Type("4").Press(keymap.ComposeSend)
		d.See("Approve with other arguments").Press(keymap.ConfirmYes).Sleep(time.Second)
	})
	if got := s.request(t, other); got.State != model.RequestEdited || !strings.HasSuffix(string(got.Answer.Args), "34]]]]]]]}") {
		t.Errorf("it is %s", got.State)
	}
	if got := keptOf(t, k, s.Run); got != "" {
		t.Errorf("kept %.80q", got)
	}
}

// What a request does not allow, and who may not decide, is said.
func TestOnlyWhatIsAllowedIsOffered(t *testing.T) {
	n := action()
	n.Allow = []string{"accept", "deny"}
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).See("y approve", "x deny").Hidden("e edit", "r respond")
		d.Press(keymap.RequestEdit).See("takes only accept, deny, defer").Press(keymap.RequestRespond).See("takes only accept, deny, defer")
		s.state(t, model.RequestPending)
	})
	s = ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, Change: asRobot}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Hidden("y approve").Press(keymap.RequestAccept).See("Approve: ")
		s.state(t, model.RequestPending)
	})
	s = ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true, Change: func(d *ui.Deps) { d.ReadOnly = "it is on a CD" }}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestAccept).See("Approve: it is on a CD")
	})
}

// High risk, and what has not been on screen whole, is asked about once more; the safe answer
// has the focus.
func TestDoubtsAreAskedAbout(t *testing.T) {
	risky, long := action(), action()
	risky.Risk = model.RiskHigh
	long.Detail = strings.Repeat("More of it.\n\n", 60)
	for name, c := range map[string]struct {
		n    model.NewRequest
		says string
		yes  keymap.Action
	}{"risk": {risky, "▲ High risk", keymap.ConfirmSure}, "length": {long, "of the request", keymap.ConfirmYes}} {
		t.Run(name, func(t *testing.T) {
			s := ask(c.n)
			run(t, s, func(d *uitest.Driver) {
				open(d, "Remove the old")
				d.Sleep(look).Press(keymap.RequestAccept).See(c.says).Press(keymap.ConfirmPress)
				s.state(t, model.RequestPending)
				d.Press(keymap.RequestAccept, c.yes)
				s.state(t, model.RequestAccepted)
			})
		})
	}
	s := ask(risky)
	run(t, s, func(d *uitest.Driver) { // the key that asks does not confirm, and says which does
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestAccept).Sleep(look).Press(keymap.ConfirmYes).See("High risk: press a, not y.")
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmSure)
		s.state(t, model.RequestAccepted)
	})
	s = ask(long)
	run(t, s, func(d *uitest.Driver) { // read to the end, it is not
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown, keymap.MovePageDown, keymap.RequestAccept)
		s.state(t, model.RequestAccepted)
	})
	long.Risk, long.Args = model.RiskMedium, []byte(`{"command": "sudo make install"}`)
	s = ask(long)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestAccept).See("▲ Dangerous: sudo", "▲ Medium risk", "You have seen only")
	})
	s = ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 30}, func(d *uitest.Driver) { // who asks, and when, is no part of what is asked
		d.Press(keymap.ViewInbox).See("more rows").Sleep(look).Press(keymap.RequestAccept)
		s.state(t, model.RequestAccepted)
	})
	s = ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080"}, Risk: model.RiskHigh})
	run(t, s, func(d *uitest.Driver) {
		open(d, "Which port")
		d.Sleep(look).Key("2").See("▲ High risk", "a Choose").Sleep(look).Press(keymap.ConfirmYes).See("High risk: press a, not y.")
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmSure)
		s.state(t, model.RequestAccepted)
	})
}

// A second click on a request opens it; a click on another of the same task does not.
func TestARequestOpensByTheMouse(t *testing.T) {
	s := ask(action())
	s.ask(model.NewRequest{Title: "Which port?"})
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox)
		x, y := d.Find("? Remove the old")
		_, other := d.Find("? Which port?")
		d.Click(x, y).Hidden("esc close").Click(x, other).Hidden("esc close").Click(x, other).See("esc close")
		d.Press(keymap.RequestClose)
	})
}

// The command comes before all else that is known of a request, each text once, with what is dangerous about it marked.
func TestARequestBeginsWithItsCommand(t *testing.T) {
	n := action()
	n.Risk = model.RiskHigh
	n.Args = []byte(`{"cwd": ".", "command": "cd build && rm  -rf out && git push --force"}`)
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		inOrder(t, strings.ReplaceAll(d.Screen(), "\n", " "), "Remove the old build", "rm  -rf out", "▲ rm -rf, --force", "cwd", "Why", "asked by")
		if got := strings.Count(d.Screen(), "git push"); got != 1 {
			t.Errorf("the command is there %d times:\n%s", got, d.Screen())
		}
		// The key that asks is not the one that says yes.
		d.Sleep(look).Press(keymap.RequestAccept).See("high risk", "a Approve").Sleep(look).Press(keymap.RequestAccept)
		s.state(t, model.RequestPending)
		d.Press(keymap.ConfirmSure)
		s.state(t, model.RequestAccepted)
	})
}

// The request beside the inbox has no cursor: what takes the keys there opens it, where all of its keys are.
func TestARequestOpensByTheKeyOfThePane(t *testing.T) {
	s := ask(action())
	s.ask(action())
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.FocusNext).See("y approve").Sleep(look).
			Press(keymap.RequestAccept).See("Approve").Hidden("Requests of")
	})
}

// A dialog begins where the pane or the page below it does: half a border beside it would look like one of its own.
func TestADialogLiesOnAWholePane(t *testing.T) {
	s := ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, W: 100, H: 36}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		pane, _ := d.Find("╭─ overview")
		if x, _ := d.Press(keymap.Accept).Find("╭─ Accept the plan"); x != pane {
			t.Errorf("it begins in column %d, the pane in %d\n%s", x, pane, d.Screen())
		}
	})
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look)
		if page := d.Line(0); !strings.HasPrefix(page, "╭─ Action") {
			t.Errorf("the page begins below %q", page)
		}
		if x, _ := d.Press(keymap.RequestDeny).Find("╭─ Deny"); x != 0 {
			t.Errorf("it begins in column %d\n%s", x, d.Screen())
		}
	})
}

// A request that comes under the cursor while the keys are in the other pane has the keys of the list.
func TestARequestThatComesBackHasTheKeysOfTheList(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop).Sleep(look).Press(keymap.RequestAccept).Sleep(look)
		s.state(t, model.RequestAccepted)
		d.Press(keymap.FocusNext).See("space select lines").Press(keymap.Undo).Sleep(look)
		s.state(t, model.RequestPending)
		d.See("y approve").Press(keymap.RequestAccept)
		s.state(t, model.RequestAccepted)
	})
}
