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

// A number leads to a view, also when a decision brought a request with choices under the cursor, whether the store's answer
// or its news comes first. It chooses only where the person went to the request.
func TestANumberIsAViewAfterADecision(t *testing.T) {
	for _, late := range []bool{false, true} {
		s := ask(action())
		choices := s.ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080"}})
		uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) {
			if late {
				d.Store = lateStore{d.Store}
			}
		}}, func(d *uitest.Driver) {
			d.Press(keymap.ViewInbox, keymap.MoveTop).See("rm -r build")
			d.Sleep(look).Press(keymap.RequestAccept).Sleep(20*time.Second).See("Which port?", "2 tasks")
			d.Key("2").See("overview  objective")
			if q := s.request(t, choices); q.State != model.RequestPending {
				t.Errorf("late %v: the request is %s", late, q.State)
			}
			d.Press(keymap.ViewInbox, keymap.MoveDown, keymap.MoveUp).See("Which port?").Hidden("2 tasks").Sleep(look).Key("2")
			if q := s.request(t, choices); q.State != model.RequestAccepted {
				t.Errorf("late %v: the request is %s", late, q.State)
			}
		})
	}
}

// A number chooses only what is on the screen.
func TestANumberChoosesOnlyWhatIsDrawn(t *testing.T) {
	s := ask(model.NewRequest{Kind: model.KindChoice, Title: "Which port?", Options: []string{"80", "8080", "443", "8443", "21", "22"}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 16}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveDown, keymap.MoveTop).See("Which port?").Hidden("  6  22").See("2 ").Sleep(look).Key("2").See("overview  objective")
		s.state(t, model.RequestPending)
	})
}
