package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// changedSince is a store with a plan whose task changed after it was accepted.
func changedSince() *uitest.Small {
	s := uitest.NewSmall()
	s.Must(
		model.Op{Name: model.AcceptPlan, UID: s.Plan, Actor: uitest.Ann},
		model.Op{Name: model.SetFields, UID: s.Plan, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "high"}}}},
	)
	return s
}

// Who says that a changed task holds sees what changed and what the approval binds to, as for an
// acceptance: it is one.
func TestWhatHoldsIsShownFirst(t *testing.T) {
	s := changedSince()
	uitest.Run(t, uitest.Options{Store: s.Store, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.See("d what changed")
		d.Press(keymap.Revalidate).See("The specification was changed after the approval.", "high", "objective", "sha256-", "terms", "claimed: it is not signed")
		d.Press(keymap.ConfirmYes).Status(s.Plan, model.StatusReady)
	})
}

// From the question about a changed task, its difference leads back to the question, whatever the cursor is on.
func TestTheDifferenceOfAChangedTaskLeadsBack(t *testing.T) {
	s := changedSince()
	uitest.Run(t, uitest.Options{Store: s.Store, H: 40}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Select)
		goTo(d, "grammar notes")
		d.Palette(keymap.Accept).Press(keymap.ConfirmDiff).See("since lexer tokens was approved", `"high"`).Press(keymap.PagerClose)
		d.See("Its plan is still valid", "d shows it").Press(keymap.ConfirmYes).Status(s.Plan, model.StatusReady)
	})
}
