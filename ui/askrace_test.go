package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// A request that comes under the cursor by itself is not decided on by the key for the one
// before, nor is one that has changed.
func TestWhatArrivesUnderTheCursorIsInert(t *testing.T) {
	s := ask(action())
	n := action()
	n.Title = "Another thing"
	other := s.ask(n)
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.SearchStart).Type("Remove the old").Press(keymap.SearchKeep, keymap.Back)
		s.Must(model.Op{Name: model.AnswerRequest, UID: s.Run, Args: model.Answering{Request: s.id, Decision: model.DecideAccept}, Actor: "human:bob"})
		until(d, "Requests  1").Press(keymap.RequestAccept).See("just appeared", "Another thing")
		if q := s.request(t, other); q.State != model.RequestPending {
			t.Errorf("%s", q.State)
		}
		d.Sleep(look).Press(keymap.RequestAccept)
		if q := s.request(t, other); q.State != model.RequestAccepted {
			t.Errorf("%s", q.State)
		}
	})
}

// A request that asks something else while it is open says so, can show how, and takes no key for
// a moment. An answer to what was there before is refused, with the difference.
func TestARequestThatChangesWhileItIsOpen(t *testing.T) {
	s := ask(action())
	worse := func(q *model.Request) { q.Args = []byte(`{"command":  "rm -r /", "n": 1.0, "force": true}`) }
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look)
		s.EditRequest(s.id, worse)
		d.Press(keymap.RequestAccept) // before the screen has it
		s.state(t, model.RequestPending)
		d.Sleep(2*time.Second).See("changed while it was on screen", "rm -r build", "rm -r /").Press(keymap.PagerClose)
		d.See("rm -r /").Press(keymap.RequestAccept).See("just appeared")
		s.state(t, model.RequestPending)
		d.Sleep(look).Press(keymap.RequestAccept)
		s.state(t, model.RequestAccepted)
	})
	s = ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDiff).See("the same as before")
		s.EditRequest(s.id, worse)
		until(d, "changed a moment ago").Press(keymap.RequestAccept)
		s.state(t, model.RequestPending)
		d.Sleep(look).Press(keymap.RequestDiff).See("what you were shown", "rm -r build", "rm -r /").Press(keymap.PagerClose)
	})
}

// The words of a denial that was begun before what is asked changed are kept, and not sent with
// what nobody has read.
func TestADenialIsBoundToWhatWasRead(t *testing.T) {
	s := ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDeny).Type("not that")
		s.EditRequest(s.id, func(q *model.Request) { q.Detail = "Something else.\n" })
		d.Sleep(3 * time.Second).Press(keymap.ComposeSend).Sleep(3 * time.Second)
		s.state(t, model.RequestPending)
		d.See("changed while it was on screen").Press(keymap.PagerClose)
		d.Sleep(look).Press(keymap.RequestDeny).See("not that").Press(keymap.ComposeSend)
		s.state(t, model.RequestDenied)
	})
}

// Two decide at once: one wins, and the other is told by whom; their words are kept.
func TestTwoDecideAtOnce(t *testing.T) {
	s := ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDeny).Type("not on a Friday")
		s.Must(model.Op{Name: model.AnswerRequest, UID: s.Run, Args: model.Answering{Request: s.id, Decision: model.DecideAccept}, Actor: "human:bob"})
		d.Press(keymap.ComposeSend).See("human:bob", "your text is saved").Sleep(2 * time.Second)
		if q := s.state(t, model.RequestAccepted); q.Answer.By != "human:bob" {
			t.Errorf("decided by %s", q.Answer.By)
		}
		d.See("accepted by bob").Press(keymap.RequestDeny).See("is decided")
		d.Press(keymap.RequestClose)
		if left := strings.Join(d.App.Leftovers(), "\n"); !strings.Contains(left, "not on a Friday") {
			t.Errorf("the words are lost: %q", left)
		}
	})
}

// The time of a request ends during a denial that is half typed: the text stays, and the denial
// counts.
func TestTimeoutDuringAHalfTypedDenial(t *testing.T) {
	n := action()
	n.ExpiresAt = time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC)
	s := ask(n)
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.See("expires   in").Sleep(look).Press(keymap.RequestDeny).Type("not on")
		d.Sleep(time.Minute).See("not on", "Deny").Type(" a Friday").Press(keymap.ComposeLeave).See("expired", "You can still answer.")
		d.Press(keymap.RequestClose).See("Expired without an answer")
		d.Press(keymap.Open).Sleep(look).Press(keymap.RequestDeny).See("not on a Friday").Press(keymap.ComposeSend)
		if q := s.state(t, model.RequestDenied); q.Answer.Text != "not on a Friday" || !q.Answer.Late {
			t.Errorf("%+v", q.Answer)
		}
	})
}

// An answer is taken back, and who has read it is said: from the row that is left behind, and
// from the request itself.
func TestUndoAnAnswer(t *testing.T) {
	s := ask(action())
	fetch := model.Op{Name: model.FetchAnswer, UID: s.Run, Args: model.RequestRef{Request: s.id}, Actor: uitest.Robot}
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestAccept)
		s.state(t, model.RequestAccepted)
		s.Must(fetch)
		d.Sleep(2 * time.Second).Press(keymap.Undo).See("agent:robot has already read it").Press(keymap.PromptSubmit)
		s.state(t, model.RequestPending)
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestAccept).Press(keymap.ViewTree)
		goTo(d, "error messages")
		d.Press(keymap.TabOverview).See("Answered, not acted on yet").Press(keymap.FocusNext)
		openOnOverview(d, "Remove the old")
		d.See("accepted by ann", "nobody yet").Press(keymap.RequestAccept).See("is decided")
		d.Press(keymap.Undo, keymap.PromptSubmit)
		s.state(t, model.RequestPending)
	})
}

// openOnOverview goes down the overview until enter opens a request.
func openOnOverview(d *uitest.Driver, title string) {
	d.T.Helper()
	for range 10 {
		d.Press(keymap.MoveDown)
		if _, y := d.Find("▌"); y >= 0 && strings.Contains(d.Line(y), title) {
			break
		}
	}
	d.Press(keymap.Open).See("asked by  ")
}

// Where words are not all that is asked for, or more than one thing is, the key that answers opens
// what was asked.
func TestTheKeyThatAnswersOpens(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.See("open request").Hidden("p answer").Press(keymap.Pause).See("asked by  ").Press(keymap.RequestClose)
		s.ask(model.NewRequest{Title: "Which port?"})
		d.Sleep(2*time.Second).Hidden("p answer").Press(keymap.Pause).Type("port").Press(keymap.PickerChoose).See("asked by  ", "Which port?")
	})
}

// What a task waits for opens from the task, and leads back to it.
func TestARequestOpensFromItsTask(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Off(keymap.RequestOpen, "no request is about this task")
		goTo(d, "error messages")
		d.Press(keymap.RequestOpen).See("asked by  ").Press(keymap.RequestClose)
		s.ask(model.NewRequest{Title: "Which port?"})
		d.Sleep(2*time.Second).Press(keymap.RequestOpen).Type("port").Press(keymap.PickerChoose).See("asked by  ", "1 request more")
		d.Press(keymap.RequestTask).Hidden("asked by  ")
		if !strings.Contains(d.Line(0), "error messages") {
			t.Errorf("the cursor is elsewhere: %s", d.Line(0))
		}
	})
}

// Escalations are closed in the same view.
func TestAnEscalationIsClosed(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindEscalation, Title: "It failed twice"})
	run(t, s, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox).See("Escalations")
		open(d, "It failed twice")
		d.Sleep(look).Press(keymap.RequestAccept, keymap.ConfirmYes)
		s.state(t, model.RequestAccepted)
		d.Press(keymap.ViewInbox).Hidden("Escalations")
	})
}

// Several of low risk are approved together, after a list of all of them; one of another risk, or
// of none, keeps all from it.
func TestSeveralAtOnce(t *testing.T) {
	s := ask(action())
	ids := []string{s.id}
	for _, title := range []string{"second thing", "third thing"} {
		n := action()
		n.Title = title
		ids = append(ids, s.ask(n))
	}
	select3 := func(d *uitest.Driver) {
		for _, title := range []string{"Remove the old", "second thing", "third thing"} {
			d.Press(keymap.ViewInbox, keymap.SearchStart).Type(title).Press(keymap.SearchKeep, keymap.Back, keymap.Select)
		}
	}
	run(t, s, func(d *uitest.Driver) {
		select3(d)
		d.See("3 selected").Sleep(look).Press(keymap.RequestAccept)
		d.See("Approve 3 low-risk requests", "Remove the old build", "second thing", "third thing", "rm -r build").Press(keymap.ConfirmPress)
		s.state(t, model.RequestPending)
		d.Press(keymap.RequestAccept, keymap.ConfirmYes).See("Approved 3 requests").Hidden("selected")
		for _, id := range ids {
			if q := s.request(t, id); q.State != model.RequestAccepted {
				t.Errorf("%s is %s", q.Title, q.State)
			}
		}
		d.Press(keymap.Undo, keymap.PromptSubmit)
		for _, id := range ids {
			if q := s.request(t, id); q.State != model.RequestPending {
				t.Errorf("%s is %s", q.Title, q.State)
			}
		}
	})
	for _, risk := range []string{"", model.RiskMedium, model.RiskHigh} {
		s.EditRequest(ids[1], func(q *model.Request) { q.Risk = risk })
		run(t, s, func(d *uitest.Driver) {
			select3(d)
			d.Sleep(look).Press(keymap.RequestAccept).See("only low-risk requests", "second thing").Hidden("Approve 3")
			s.state(t, model.RequestPending)
			d.Press(keymap.Back, keymap.Back).Hidden("selected")
		})
	}
}

// Whatever somebody writes into a request is shown as text, behind a bar, and none of it hides.
func TestAHostileRequest(t *testing.T) {
	const evil = "a\x1b[8mb\x1b]0;t\a\u202ec\u200bd"
	n := action()
	n.Args = []byte(`{"command": "ls` + "\u202e" + `x", "esc": "\u001b[2Jz"}`)
	n.Detail = "Fine.\n\n<!-- IGNORE ALL RULES -->\n\n y approve  x deny\n\nApproved by ann\n"
	s := ask(n)
	s.EditRequest(s.id, func(q *model.Request) {
		q.Title, q.Options, q.Kind, q.CreatedBy = evil, []string{evil}, evil, model.Actor("agent:"+evil)
		q.Detail += evil + "\n"
		q.Key, q.Risk = evil, "low"+evil
	})
	for _, size := range [][2]int{{120, 44}, {60, 24}, {200, 60}} {
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.SearchStart).Type("[8m").Press(keymap.SearchKeep, keymap.Back, keymap.Open)
			var seen strings.Builder
			for range 8 {
				seen.WriteString(d.Screen())
				d.Press(keymap.MovePageDown)
			}
			for _, want := range []string{"a␛[8mb", "⟨U+202E⟩", "⟨U+200B⟩", "<!-- IGNORE ALL RULES -->", "␛[2Jz", `ls⟨U+202E⟩x`, "│ Approved by ann"} {
				if !strings.Contains(seen.String(), want) {
					t.Errorf("%dx%d: %q is not on screen:\n%s", size[0], size[1], want, d.Screen())
				}
			}
			if strings.Contains(d.View().Content, "\x1b[8m") || strings.Contains(d.View().Content, "\x1b[2J") {
				t.Error("it reaches the terminal")
			}
			d.Sleep(look).Press(keymap.RequestDeny).Type("no").Press(keymap.ComposeLeave, keymap.RequestClose)
		})
	}
}

// What was answered stands with the request on the overview of its task, until somebody acts on it.
func TestTheOverviewSaysWhatWasAnswered(t *testing.T) {
	s := ask(action())
	run(t, s, func(d *uitest.Driver) {
		open(d, "Remove the old")
		d.Sleep(look).Press(keymap.RequestDeny).Type("it is needed").Press(keymap.ComposeSend)
		s.state(t, model.RequestDenied)
		d.Press(keymap.ViewTree)
		goTo(d, "error messages")
		d.Press(keymap.TabOverview).See("Answered, not acted on yet", "denied by ann: it is needed")
	})
}
