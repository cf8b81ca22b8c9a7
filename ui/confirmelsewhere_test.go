package ui_test

import (
	"context"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

// confirming answers what a store in memory can't know: the operation that confirms a task.
type confirming struct{}

func (confirming) Confirmation(_ context.Context, uid model.UID) (model.Op, error) {
	return model.Op{Name: model.AcceptPlan, UID: uid}, nil
}

// One key confirms all that was accepted elsewhere, but for a task with high risk, which is confirmed on its own.
func TestOneKeyConfirmsMany(t *testing.T) {
	s := uitest.NewSmall()
	all := map[string]model.UID{}
	for _, name := range []string{"first", "second", "risky"} {
		uid := s.Planned(name, s.Root)
		all[name] = uid
		s.EditTask(uid, func(t *model.Task) {
			t.Status.Elsewhere = &model.Elsewhere{Plan: &model.AcceptedPlan{By: "human:bea", Approval: "accept.json", PlanRevision: 1, ObjectiveRevision: 1}}
			if name == "risky" {
				t.Spec = &model.Spec{Risk: model.RiskHigh}
			}
		})
	}
	accepted := func(name string) bool {
		got, _ := s.Snapshot().Task(all[name])
		return got.Status.AcceptedPlan != nil && got.Status.Elsewhere == nil
	}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Confirms = confirming{} }, W: 160, H: 30}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox).See("Accepted elsewhere, unsigned", "accepted by bea elsewhere, u")
		goTo(d, "first")
		d.Press(keymap.ConfirmAll).See("Confirm 2 acceptances?", "first", "second", "1 task with medium or high risk: confirm each on its own").Press(keymap.ConfirmNo)
		if accepted("first") {
			t.Error("it is confirmed, though the answer was no")
		}
		d.Press(keymap.ConfirmAll).See("Confirm 2 acceptances?").Press(keymap.ConfirmYes)
		goTo(d, "lexer tokens")
		d.Off(keymap.ConfirmAll, "go to each task and confirm it on its own")
		goTo(d, "risky")
		d.Press(keymap.ConfirmAll).See("Confirm 1 acceptance?").Press(keymap.ConfirmYes)
		d.Off(keymap.ConfirmAll, "no acceptance from another clone waits")
	})
	for name := range all {
		if !accepted(name) {
			t.Errorf("%s is not confirmed", name)
		}
	}
}
