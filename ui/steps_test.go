package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/progress"
)

// Steps are ticked by a key, which voids nothing; those that are open are named before work is completed or accepted.
func TestStepsAreTickedByKey(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		s := uitest.NewSmall()
		uid := s.Planned("port the reader", s.Root)
		s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "steps", Value: "read it,write \x1b[31mit,test it", Mode: '='}}}})
		s.Accept(uid)
		s.Must(
			model.Op{Name: model.Start, UID: uid, Actor: uitest.Robot, Args: model.NewRun{Worker: uitest.Robot}},
			model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Robot, Args: model.FieldEdit{Set: []model.Assignment{progress.SayProgress("parser done, 60%")}}},
		)
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			goTo(d, "port the reader")
			d.See("60%")
			d.Press(keymap.Steps).See("Steps of port the reader", "[ ]", "1. read it", "write ␛[31mit", "open", "0 of 3 done").Hidden("leave out", "taken in")
			d.Press(keymap.PartsToggle, keymap.MoveDown, keymap.MoveDown, keymap.PartsToggle, keymap.PartsDone)
			is := task(t, s.Store, uid)
			if st := is.Spec.Steps; !st[0].Done || st[1].Done || !st[2].Done {
				t.Fatalf("the steps are %+v", st)
			}
			if len(is.Status.ChangedBecause) > 0 || is.Status.AcceptedPlan == nil {
				t.Error("ticking a step voids the acceptance")
			}
			d.Press(keymap.Done).See("1 step is not ticked: 2. write")
		})
		// In the overview the progress is a bar.
		uitest.Run(t, uitest.Options{Store: s.Store, W: size[0], H: size[1]}, func(d *uitest.Driver) {
			goTo(d, "port the reader")
			if size[0] < 100 {
				d.Press(keymap.FocusNext)
			}
			d.Press(keymap.TabOverview).See("parser done, 60%")
		})
	}
}
