package ui_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// FuzzApp plays random actions, keys, text, clicks, resizes and foreign changes: nothing
// panics and every frame is exact. Each byte of the script is one event, its arguments are
// the bytes that follow.
func FuzzApp(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte("jjjaay\x1b?abc\x1bnhello\r"))
	actions := keymap.Actions()
	seed := make([]byte, 0, 4*len(actions))
	for i := range actions {
		seed = append(seed, 0, byte(i), 1, byte('a'+i%26))
	}
	f.Add(seed)
	f.Add([]byte("\x0c\x03\x0c\x07\x06\x0bjcabc\x0a\x0bX\x0c\x11\x06)dn)\x0aa\x06y\x0bMabc\x0a"))
	f.Add([]byte("\x0djjJjjcabc\x0a\x06\x07\x04)+mJK}}vjG(zMzRap \x09\x06y\x09\x02\x30\x20\x0drno\x0a\x0dghabc\x09aw"))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 600 {
			script = script[:600]
		}
		playAndQuit(t, script)
	})
}

// playAndQuit plays a script in a workbench of its own.
func playAndQuit(t *testing.T, script []byte) {
	t.Helper()
	s := uitest.NewSmall()
	ed := &uitest.Editor{Write: func(body string) (string, error) { return body + "more\n", nil }}
	o := uitest.Options{W: 100, H: 30, Store: s.Store, Bare: true, KeepUnread: true}
	o.Change = func(d *ui.Deps) { d.Editor = ed }
	uitest.Run(t, o, func(d *uitest.Driver) {
		play(d, s, keymap.Actions(), script)
		quits(d)
	})
}

// quits ends a run as a person would who has had enough: wherever they are, these keys lead out.
func quits(d *uitest.Driver) {
	d.T.Helper()
	d.Resize(100, 30)
	keys := []string{"esc", "esc", "esc", "q", "q"}
	var seen []string
	for i := 0; i < len(keys) && !d.Ended(); i++ {
		d.Key(keys[i])
		if d.Ended() {
			return
		}
		d.Sleep(time.Second) // to read what it says
		seen = append(seen, keys[i]+":\n"+d.Screen())
		if i == 4 && strings.Contains(d.Screen(), "─ Quit ─") { // the first q has only closed a pane
			keys = append(keys, "q")
		}
	}
	if !d.Ended() {
		d.T.Errorf("%q do not quit:\n%s", keys, strings.Join(seen, "\n"))
	}
}

// randomKeys plays scripts of random events.
func randomKeys(t *testing.T, scripts int) {
	t.Helper()
	for seed := range scripts {
		rng := rand.New(rand.NewPCG(uint64(seed), 9))
		script := make([]byte, 150)
		for i := range script {
			switch rng.IntN(3) {
			case 0: // an event of its own
				script[i] = byte(rng.IntN(14))
			case 1: // a key
				script[i] = byte(' ' + rng.IntN(95))
			default:
				script[i] = byte(rng.IntN(256))
			}
		}
		playAndQuit(t, script)

		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// After whatever keys, the workbench can be quit.
func TestRandomKeys(t *testing.T) {
	scripts := 15
	if testing.Short() {
		scripts = 3
	}
	randomKeys(t, scripts)
}

// The keys that quit are a yes in the question that they open, once it has been read.
func TestQuitAgainQuits(t *testing.T) {
	for _, key := range []string{"q", "ctrl+c"} {
		s := uitest.NewSmall()
		uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
			goTo(d, "lexer tokens")
			d.Press(keymap.Reject).Type("half of it").Press(keymap.ComposeLeave)
			d.Key(key).See("A text is not saved")
			d.Key(key).See("A text is not saved") // nobody can have read it yet
			if d.Ended() {
				t.Fatalf("%s twice at once is no answer, and it has quit", key)
			}
			d.Sleep(time.Second).Press(keymap.ConfirmNo).Hidden("A text is not saved")
			d.Key(key).Sleep(time.Second).Key(key).Quits()
		})
	}
}

// One key goes back from wherever the panes are, the next quits.
func TestQuitGoesBackAtOnce(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.Open, keymap.Zoom).Hidden("2 tasks")
		d.Press(keymap.Quit).See("2 tasks").Press(keymap.Quit).Quits()
	})
}

func play(d *uitest.Driver, s *uitest.Small, actions []keymap.Spec, script []byte) {
	next := func() int {
		if len(script) == 0 {
			return 0
		}
		b := script[0]
		script = script[1:]
		return int(b)
	}
	for len(script) > 0 && !d.Ended() {
		switch k := next(); {
		case k == 0:
			spec := actions[next()%len(actions)]
			if len(spec.Keys) > 0 && spec.Action != keymap.Suspend {
				d.Press(spec.Action)
			}
		case k == 1:
			d.Type(string(rune(next() * 37)))
		case k == 2:
			d.Resize(next(), next()/2)
		case k == 3:
			d.Click(next(), next()/4)
		case k == 4:
			d.Wheel(next(), next()/4, next()%5-2)
		case k == 5:
			d.Drag(next(), next()/4, next(), next()/4)
		case k == 6:
			d.Sleep(1100e6)
		case k == 7:
			s.Edit(s.Plan, model.Plan, string(rune(next()*61))+"\u202e\x1b[2J")
			foreign := &model.NewTask{Name: "foreign", Parent: s.Root, Objective: "x\n"}
			op := model.Op{Name: model.CreateTask, Actor: uitest.Robot, Args: *foreign}
			_, _ = s.DoAll(context.Background(), []model.Op{op}) // it is refused once the parent is aborted
		case k == 8:
			d.Send(tea.PasteMsg{Content: "pasted\ntext\x1b[31m\u200b"})
		case k == 9:
			d.Key("enter")
		case k == 10:
			d.Key("esc")
		case k == 11: // in the plan, on one of its comments
			d.Press(keymap.TabPlan, keymap.FocusNext, keymap.PlaceNext)
		case k == 12:
			commented(s, next())
		case k == 13: // on several tasks at once
			d.Press(keymap.MoveTop, keymap.Select, keymap.MoveDown, keymap.Select, keymap.Accept)
		default:
			d.Type(string(rune(k)))
		}
	}
}

// commented lets somebody comment on the plan, and every fourth time an agent answer with another.
func commented(s *uitest.Small, n int) {
	do := func(op model.Op) { _, _ = s.DoAll(context.Background(), []model.Op{op}) } // it may be refused: nothing happens then
	c, err := s.Content(context.Background(), s.Plan, model.Plan)
	if err != nil {
		return
	}
	do(model.Op{Name: model.AddComment, UID: s.Plan, Actor: uitest.Ann, Args: model.Remarks{Comments: []model.NewComment{
		{Kind: model.CommentKinds()[n%3], Blocking: n%5 == 0, Place: model.PlaceAt(c.Body, n%7, n%9), Text: "remark \x1b[31m"},
	}}})
	f, err := s.Review(context.Background(), s.Plan, 0)
	if n%4 != 0 || err != nil || f == nil {
		return
	}
	var answers []model.CommentAnswer
	for _, c := range f.Comments {
		if c.State == model.CommentOpen {
			answers = append(answers, model.CommentAnswer{Comment: c.ID, Resolution: model.Resolutions()[n%3], Text: "as it says"})
		}
	}
	do(model.Op{Name: model.DefinePlan, UID: s.Plan, Actor: uitest.Robot, Args: model.NewPlan{Text: string(c.Body) + string(rune('a'+n%26)) + "\n", Answers: answers}})
}
