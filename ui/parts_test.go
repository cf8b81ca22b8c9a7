package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
)

const partedPlan = `# Plan

Words before.

## Read the code

Look around.

### Take notes

On paper.

## Delete the old store

At once.
`

// parted is a store with a plan of several sections.
func parted(t *testing.T) (s *uitest.Small, uid model.UID) {
	t.Helper()
	s = uitest.NewSmall()
	uid = s.Task("parted plan", s.Root)
	s.Must(
		model.Op{Name: model.DefineObjective, UID: uid, Actor: uitest.Robot, Args: model.NewObjective{Text: "Do it.\n"}},
		model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: partedPlan}},
	)
	return s, uid
}

// A person leaves sections of a plan out, sees on the dialog what that means, and accepts
// the rest. What was left out is said wherever the plan is looked at.
func TestAcceptAPlanInPart(t *testing.T) {
	s, uid := parted(t)
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 60}, func(d *uitest.Driver) {
		goTo(d, "parted plan")
		d.Press(keymap.Accept).See("space parts").Hidden("left out").Press(keymap.ConfirmParts)
		d.See("Parts of the plan of parted plan to accept", "4 of 4", "[x] Plan", "[x]   Read the code", "[x]     Take notes", "[x]   Delete the old store")
		if strings.Count(d.Screen(), "[x]") != 4 {
			t.Fatalf("not four parts:\n%s", d.Screen())
		}
		// A section goes with those below it, which cannot be taken back by themselves.
		d.Press(keymap.MoveDown, keymap.PartsToggle).See("[ ]   Read the code  left out", "[ ]     Take notes  left out", "[x]   Delete", "2 of 4")
		d.Press(keymap.MoveDown, keymap.PartsToggle).See("It is part of Read the code, which is left out").See("[ ]     Take notes")
		d.Press(keymap.MoveUp, keymap.PartsToggle).See("[x]   Read the code", "[x]     Take notes", "4 of 4").Hidden("It is part of")
		d.Press(keymap.MoveBottom, keymap.PartsToggle).See("[ ]   Delete the old store", "3 of 4")
		d.Press(keymap.PartsDone).See("left out", "1 part is not accepted", "Delete the old store", "lines 13-15")
		// Giving the list up changes nothing.
		d.Press(keymap.ConfirmParts).See("[ ]   Delete the old store").Press(keymap.PartsToggle, keymap.PartsCancel).See("1 part is not accepted")
		d.Press(keymap.ConfirmYes).See("1 part of it is left out")
		p := task(t, s.Store, uid).Status.AcceptedPlan
		if p == nil || !slices.Equal(p.Excluded, []string{"Delete the old store"}) {
			t.Fatalf("accepted %+v", p)
		}
		d.Press(keymap.TabOverview).See("Without", "Delete the old store")
		d.Press(keymap.TabPlan).See("1 part left out", "not accepted: ann left this section out")
		for marked, isOut := range map[string]bool{"Delete the old store": true, "At once.": true, "Look around.": false} {
			_, y := d.Find(marked)
			if strings.Contains(d.Line(y), "✗") != isOut {
				t.Errorf("the gutter beside %q: %s", marked, d.Line(y))
			}
		}
		d.Press(keymap.TabHistory, keymap.FocusNext, keymap.MoveTop, keymap.Open).See("Delete the old store")
	})
}

// All of a plan cannot be left out, and the dialog stays as it was.
func TestLeavingEverythingOutIsRefused(t *testing.T) {
	s, uid := parted(t)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parted plan")
		d.Press(keymap.Accept, keymap.ConfirmParts, keymap.PartsToggle, keymap.PartsDone).See("this leaves out the whole plan", "reject it").Press(keymap.ConfirmNo)
		d.Press(keymap.Back)
		if p := task(t, s.Store, uid).Status.AcceptedPlan; p != nil {
			t.Fatalf("accepted %+v", p)
		}
	})
}

// A plan that is rewritten while its parts are listed is not accepted in part either.
func TestPartsOfAPlanThatChanged(t *testing.T) {
	s, uid := parted(t)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parted plan")
		d.Press(keymap.TabPlan, keymap.Accept, keymap.ConfirmParts)
		s.Edit(uid, model.Plan, strings.Replace(partedPlan, "At once.", "And the backups.", 1))
		d.Sleep(1100*time.Millisecond).Press(keymap.MoveBottom, keymap.PartsToggle, keymap.PartsDone)
		d.See("1 part is not accepted", "the plan changed while this was open")
		d.Press(keymap.ConfirmYes).See("changed meanwhile", "And the backups").Press(keymap.PagerClose)
		if p := task(t, s.Store, uid).Status.AcceptedPlan; p != nil {
			t.Fatalf("accepted %+v", p)
		}
	})
}

// What is accepted in part with a few words has the words and the parts, and without colors the
// marks say what is in.
func TestPartsWithNotes(t *testing.T) {
	s, uid := parted(t)
	o := uitest.Options{Store: s.Store, W: 80, H: 24, Change: func(d *ui.Deps) { d.NoColor, d.ASCII = true, true }}
	uitest.Run(t, o, func(d *uitest.Driver) {
		goTo(d, "parted plan")
		d.Press(keymap.Accept, keymap.ConfirmParts, keymap.MoveDown, keymap.PartsToggle).See("[x] Plan", "[ ]   Read the code", "[ ]     Take notes")
		d.Press(keymap.PartsDone, keymap.ConfirmNotes).Type("the rest is fine").Press(keymap.ComposeSend)
		p := task(t, s.Store, uid).Status
		if p.AcceptedPlan == nil || !slices.Equal(p.AcceptedPlan.Excluded, []string{"Read the code"}) || p.Review.Reason != "the rest is fine" {
			t.Fatalf("%+v %+v", p.AcceptedPlan, p.Review)
		}
		d.Press(keymap.TabPlan, keymap.FocusNext, keymap.Zoom).See("not accepted: ann left this section out", "not accepted, like the section it is in")
	})
}

// A plan that was accepted in part and has changed since is accepted anew without the same parts, unless a
// person takes them in; that it holds as it is says what stays left out.
func TestPartsOfTheAcceptanceBefore(t *testing.T) {
	for _, again := range []keymap.Action{keymap.Accept, keymap.Revalidate} {
		s, uid := parted(t)
		before := s.Task("before", s.Root)
		s.Must(model.Op{Name: model.AddDependency, UID: uid, Actor: uitest.Ann, Args: model.DependencyEdit{DependsOn: []model.UID{before}}})
		s.Must(model.Op{Name: model.AcceptPlan, UID: uid, Actor: uitest.Ann, Args: model.Acceptance{Excluded: []string{"Delete the old store"}}})
		s.Edit(uid, model.Plan, strings.Replace(partedPlan, "Look around.", "Look about.", 1))
		s.Must(model.Op{Name: model.Check, UID: uid, Actor: uitest.Ann})
		uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 60}, func(d *uitest.Driver) {
			goTo(d, "parted plan")
			d.Press(again)
			if again == keymap.Accept {
				d.See("1 part is not accepted", "lines 13-15").Press(keymap.ConfirmParts).See("[ ]   Delete the old store", "3 of 4").Press(keymap.PartsCancel)
			} else {
				d.See("still left out", "Delete the old store")
			}
			d.Press(keymap.ConfirmYes)
			p := task(t, s.Store, uid).Status.AcceptedPlan
			if p == nil || !strings.HasPrefix(p.Approval, map[keymap.Action]string{keymap.Accept: "accept-", keymap.Revalidate: "revalidate-"}[again]) ||
				!slices.Equal(p.Excluded, []string{"Delete the old store"}) {
				t.Fatalf("accepted %+v", p)
			}
		})
	}
}
