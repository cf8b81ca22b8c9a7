package ui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui"
)

// half gives the last of a family a plan that one screen of its changeset shows more than half of.
func (f family) half() {
	harmless(f.Store, f.top, f.first, f.second)
	f.risk(f.below, "high")
	f.Must(
		model.Op{Name: model.RejectPlan, UID: f.below, Actor: uitest.Ann, Reason: "more"},
		model.Op{Name: model.DefinePlan, UID: f.below, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n" + strings.Repeat("A step.\n\n", 14) + "The end.\n"}},
	)
}

// More than half of a plan is not all of it, and notes along with the verdict do not change that.
func TestAPlanReadForTheMostPartIsNotRead(t *testing.T) {
	f := newFamily(t)
	f.half()
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 30}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset, keymap.ChangesetNext, keymap.ChangesetNext, keymap.ChangesetNext)
		for range 40 {
			d.Press(keymap.Accept)
			var percent int
			if _, rest, blocked := strings.Cut(d.Screen(), "and you have seen only "); blocked {
				_, _ = fmt.Sscanf(rest, "%d%%", &percent)
			}
			if percent > 50 && percent < 100 {
				d.Press(keymap.ConfirmYes).See("nothing was accepted").Press(keymap.ChangesetClose, keymap.Back, keymap.Changeset)
				d.Press(keymap.Accept, keymap.ConfirmNotes).See("nothing was accepted").Press(keymap.ChangesetClose, keymap.Back)
				if got := f.accepted(t); len(got) > 0 {
					t.Fatalf("accepted %q", got)
				}
				return
			}
			d.Press(keymap.ConfirmNo, keymap.MoveDown)
		}
		t.Fatalf("more than half of it was never on the screen\n%s", d.Screen())
	})
}

// The sheet says what the riskiest of its plans needs.
func TestTheApprovalOfSeveralIsThatOfTheRiskiest(t *testing.T) {
	f := newFamily(t)
	harmless(f.Store, f.top, f.first, f.second)
	f.risk(f.below, "high")
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 60, Change: func(d *ui.Deps) { d.Keys = &byRisk{} }}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset)
		readAll(d)
		d.Press(keymap.Accept).See("it must be touched").Press(keymap.ConfirmNo)
	})
}

// byRisk are keys of a person who asks for more where the risk is high.
type byRisk struct{ signer }

func (k *byRisk) Required(risk string) (review.Level, error) {
	if risk == model.RiskHigh {
		return review.LevelTouched, nil
	}
	return review.LevelSigned, nil
}

// An objective that is rewritten while a sheet is open voids it, as a plan does.
func TestAnObjectiveThatChangesVoidsTheSheetForSeveral(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 50}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset)
		readAll(d)
		d.Press(keymap.MoveTop, keymap.Accept).Sleep(time.Second)
		f.Edit(f.below, model.Objective, "# Objective\n\nAnother one.\n")
		d.Sleep(1500 * time.Millisecond).See("grandchild changed while this was open").Press(keymap.ConfirmNo)
	})
}

// What another overlay lay on has not been read, however large the page became under it.
func TestWhatASheetLiesOnIsNotRead(t *testing.T) {
	f := newFamily(t)
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 16}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset).See("0 of 4 plans read").Press(keymap.Accept).See("Accept 4 plans")
		d.Resize(200, 120).See("Accept 4 plans", "first child").Resize(120, 16).Press(keymap.ConfirmNo).See("0 of 4 plans read")
	})
}

// More plans than anybody reads at once are no changeset.
func TestAChangesetHasABound(t *testing.T) {
	s := uitest.NewSmall()
	top := s.Planned("top of it", "")
	for i := range 201 {
		s.Planned(fmt.Sprintf("child %d", i), top)
	}
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 24}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset).See("at most 200 are reviewed at once").Hidden("Changeset of")
	})
}
