package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// Finished work, and acceptances that hold again, are judged with others only where the risk is low, as plans are.
func TestWorkOfMoreThanLowRiskIsJudgedAlone(t *testing.T) {
	s := uitest.NewSmall()
	other, third := s.Finished("parser notes", s.Root), s.Finished("token notes", s.Root)
	harmless(s.Store, other, third)
	s.Must(model.Op{Name: model.Revalidate, UID: other, Actor: uitest.Ann}, model.Op{Name: model.Revalidate, UID: third, Actor: uitest.Ann})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50, KeepUnread: true}, func(d *uitest.Driver) {
		for _, name := range []string{"grammar notes", "parser notes", "token notes"} {
			goTo(d, name)
			d.Press(keymap.Select)
		}
		d.Press(keymap.Accept).See("left out, decide on them one by one", "grammar notes (no risk set")
		d.Press(keymap.ConfirmYes)
		for uid, want := range map[model.UID]bool{s.Work: false, other: true, third: true} {
			if got := task(t, s.Store, uid).Status.Review != nil; got != want {
				t.Errorf("the work of %s is accepted: %v", uid, got)
			}
		}
	})
	risky := s.Finished("lexer notes", s.Root)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50, KeepUnread: true}, func(d *uitest.Driver) {
		for _, name := range []string{"grammar notes", "lexer notes"} {
			goTo(d, name)
			d.Press(keymap.Select)
		}
		d.Press(keymap.Accept).See("decide on them one by one").Press(keymap.ConfirmYes)
		if task(t, s.Store, risky).Status.Review != nil {
			t.Error("it is accepted")
		}
	})
}

// An acceptance that is made to hold again is one.
func TestSeveralOfMoreThanLowRiskAreNotRevalidated(t *testing.T) {
	s := uitest.NewSmall()
	for _, uid := range []model.UID{s.Ready, s.Run} {
		s.Edit(uid, model.Plan, "# Another\n")
		s.Must(model.Op{Name: model.Check, UID: uid, Actor: uitest.Robot})
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50, KeepUnread: true}, func(d *uitest.Driver) {
		for _, name := range []string{"fuzz targets", "error messages"} {
			goTo(d, name)
			d.Press(keymap.Select)
		}
		d.Press(keymap.Revalidate).See("decide on them one by one").Press(keymap.ConfirmYes)
		for _, uid := range []model.UID{s.Ready, s.Run} {
			if len(task(t, s.Store, uid).Status.ChangedBecause) == 0 {
				t.Errorf("%s is accepted as it is now", uid)
			}
		}
	})
}
