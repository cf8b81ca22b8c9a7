package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// exhausted is a store with a task whose last attempt has failed, and what is asked about that.
func exhausted(t *testing.T) *asking {
	t.Helper()
	s := &asking{Small: uitest.NewSmall()}
	for range 3 {
		if s.task(t).Status.CurrentRun == "" {
			s.Must(model.Op{Name: model.Start, UID: s.Run, Actor: "system:loop", Args: model.NewRun{Worker: uitest.Robot}})
		}
		s.Must(model.Op{Name: model.RaiseError, UID: s.Run, Actor: "system:loop", Args: model.ErrorReport{Details: "the tests fail\nFAIL: TestIt\n"}},
			model.Op{Name: model.Retry, UID: s.Run, Actor: "system:loop"})
	}
	q, ok := s.Snapshot().Keyed(s.Run, "attempts:"+string(s.Run))
	if !ok {
		t.Fatal("nothing was asked")
	}
	s.id = q.ID
	return s
}

func (s *asking) task(t *testing.T) *model.Task {
	t.Helper()
	x, ok := s.Snapshot().Task(s.Run)
	if !ok {
		t.Fatal("the task is gone")
	}
	return x
}

// What each choice does is read before it is chosen, shown once more with what comes of it, and done with
// the answer; u takes it back.
func TestChoosingWhatAnEscalationDoes(t *testing.T) {
	t.Parallel()
	s := exhausted(t)
	run(t, s, func(d *uitest.Driver) {
		open(d, "failed after")
		d.See("fix by hand and continue", "in the files of the last run", "You give a reason.", "its attempts start again")
		d.See("Reported an error → Error: the tests fail FAIL: TestIt")
		d.Sleep(look).Key("3").See("Reset attempts and retry", "Attempt 1 of 3", "Do that")
		s.state(t, model.RequestPending) // nothing happens before the yes
		d.Press(keymap.ConfirmYes)
		until(d, "can start")
		if got := s.task(t).Status; got.CurrentState != model.Working || got.RetryCount != 0 {
			t.Errorf("it is %+v", got)
		}
		s.state(t, model.RequestAccepted)
	})
	s.Must(model.Op{Name: model.UndoVerdict, UID: s.Run, Actor: uitest.Ann, Args: model.RequestRef{Request: s.id}})
	s.state(t, model.RequestPending)
}

// A choice that needs words asks for them, and does nothing without.
func TestChoosingWithWords(t *testing.T) {
	t.Parallel()
	s := exhausted(t)
	run(t, s, func(d *uitest.Driver) {
		open(d, "failed after")
		d.Sleep(look).Key("2").See("Skip", "You vouch for the work")
		d.Press(keymap.ComposeSend)
		s.state(t, model.RequestPending)
		d.Type("done in 4f2c1d").Press(keymap.ComposeSend)
		until(d, "done")
		if r := s.task(t).Status.Review; r == nil || r.Reason != "done in 4f2c1d" || r.By != uitest.Ann {
			t.Errorf("review %+v", r)
		}
	})
}

// R goes on after the last attempt, and D counts it as done elsewhere.
func TestKeysOfAFailedTask(t *testing.T) {
	t.Parallel()
	s := exhausted(t)
	run(t, s, func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Status(s.Run, model.StatusFailed)
		d.Press(keymap.Done).See("Skip").Type("not needed").Press(keymap.PromptSubmit)
		d.Status(s.Run, model.StatusDone)
		d.Press(keymap.Undo, keymap.PromptSubmit)
		d.Status(s.Run, model.StatusFailed)
		d.Press(keymap.Retry).See("Reopen").Press(keymap.ConfirmYes)
		d.Status(s.Run, model.StatusReady)
		d.Press(keymap.Start, keymap.ConfirmYes)
		d.Status(s.Run, model.StatusRunning)
		d.Press(keymap.StopRun).See("Stop run").Press(keymap.ConfirmYes)
		d.Status(s.Run, model.StatusReady)
	})
}
