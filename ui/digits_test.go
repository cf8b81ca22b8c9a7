package ui_test

import (
	"context"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui"
)

// lateStore tells what became of operations only once everybody else knows it.
type lateStore struct{ ui.Store }

func (s lateStore) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	defer time.Sleep(10 * time.Second)
	return s.Store.Do(ctx, op)
}

func (s lateStore) DoAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	defer time.Sleep(10 * time.Second)
	return s.Store.DoAll(ctx, ops)
}

// A number chooses an option of the request under the cursor, also when a decision brought it there, whether the store's answer
// or its news comes first. Right after it appeared, it says that it is too early, and leads nowhere else.
func TestANumberChoosesAfterADecision(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := ask(action())
		choices := s.ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080"}, Risk: model.RiskLow})
		uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) {
			if late {
				d.Store = lateStore{d.Store}
			}
		}}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.MoveTop).See("rm -r build")
			if d.Sleep(look).Press(keymap.RequestAccept); late {
				d.Sleep(20 * time.Second)
			} else {
				d.See("Which port?").Key("2").See("just appeared").Sleep(20 * time.Second)
			}
			d.See("Which port?", "the number chooses", "1-2 choose").Hidden("2 tasks")
			if q := s.request(t, choices); q.State != model.RequestPending {
				t.Errorf("late %v: the request is %s", late, q.State)
			}
			d.Key("2").Sleep(20 * time.Second)
			if q := s.request(t, choices); q.State != model.RequestAccepted {
				t.Errorf("late %v: the request is %s", late, q.State)
			}
			d.Press(keymap.Undo).Sleep(20 * time.Second).Press(keymap.PromptSubmit).Sleep(20 * time.Second)
			if q := s.request(t, choices); q.State != model.RequestPending {
				t.Errorf("late %v: after undo the request is %s", late, q.State)
			}
		})
	}
}

// A key decides on nothing that the layout hides, and a number that comes right after a view was opened may have meant
// another view: it is asked about.
func TestANumberOnlyChoosesWhatSomebodySees(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080"}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewTree).Press(keymap.ViewInbox).See("Which port?", "1-2 choose").Sleep(300 * time.Millisecond)
		d.Key("2").Sleep(look).Key("2").See(`Answer "8080"?`).Press(keymap.ConfirmNo)
		d.Resize(60, 12).Sleep(look).Hidden("the number chooses").Key("2").Sleep(look)
		s.state(t, model.RequestPending)
	})
	s = ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox).See("rm -r build").Resize(60, 12).Sleep(look).Hidden("rm -r build").Press(keymap.RequestAccept).Sleep(look)
		s.state(t, model.RequestPending)
	})
}

// A number chooses only what is on the screen, and says so.
func TestANumberChoosesOnlyWhatIsDrawn(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080", "443", "8443", "21", "22"}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 16}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveDown, keymap.MoveTop).See("Which port?").Hidden("  6  22").Sleep(look).Key("2").See("not all options are on screen: enter opens it")
		s.state(t, model.RequestPending)
	})
}
