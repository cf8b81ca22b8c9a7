package ui_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui"
)

// harmless makes tasks ones of low risk, whose plans are accepted together though nobody read them.
func harmless(s *uitest.Store, uids ...model.UID) {
	for _, uid := range uids {
		s.Must(model.Op{Name: model.SetFields, UID: uid, Actor: uitest.Ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "risk", Value: "low", Mode: '='}}}})
	}
}

// greyed reports whether a key and what it does stand in one ink: that of what cannot be done.
func greyed(d *uitest.Driver, hint string) bool { return strings.Contains(d.View().Content, hint) }

// A draft of another terminal that comes while a dialog is open is not in what the dialog sends, and stays.
func TestADraftThatComesWhileADialogIsOpenStays(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k)}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Comment).Type("first of mine").Press(keymap.ComposeSend).Sleep(time.Second)
		d.Press(keymap.Accept).Sleep(time.Second).See("Your comment")
		_ = k.Keep("", s.Plan, []review.Draft{{ID: "d-other", Kind: model.Remark, Doc: model.Plan, Revision: 1, Text: "from the other terminal"}}, nil)
		s.Must(model.Op{Name: model.SetFields, UID: s.Plan, Actor: uitest.Robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "x"}}}})
		d.Sleep(2 * time.Second)
		d.Press(keymap.ConfirmYes).Sleep(2 * time.Second)
	})
	var sent, kept []string
	for _, c := range reviewOf(t, s.Store, s.Plan).Comments {
		sent = append(sent, c.Text)
	}
	list, _ := k.Drafts("", s.Plan)
	for _, d := range list {
		kept = append(kept, d.Text)
	}
	if !slices.Equal(sent, []string{"first of mine"}) || !slices.Equal(kept, []string{"from the other terminal"}) {
		t.Errorf("sent %q, kept %q", sent, kept)
	}
}

// A plan whose risk nobody named counts as one of medium risk: it is not accepted with others.
func TestPlansOfUnnamedRiskAreDecidedOneByOne(t *testing.T) {
	s := uitest.NewSmall()
	one, two := s.Planned("one of them", ""), s.Planned("two of them", "")
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "one of them")
		d.Press(keymap.Select)
		goTo(d, "two of them")
		d.Press(keymap.Select, keymap.Accept).See("decide on them one by one", "one of them", "counts as medium").Press(keymap.Back)
		for _, uid := range []model.UID{one, two} {
			if task(t, s.Store, uid).Status.AcceptedPlan != nil {
				t.Errorf("%s was accepted unread", uid)
			}
		}
	})
}

// A dialog that can no longer accept anything offers its yes nowhere.
func TestAVoidDialogDoesNotOfferItsYes(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		off := func() bool { return greyed(d, "y Accept") }
		d.Press(keymap.Accept).Sleep(time.Second)
		if off() {
			t.Fatalf("the yes is grey, though it would be taken\n%s", d.Screen())
		}
		s.Edit(s.Plan, model.Plan, "# Another\n")
		d.Sleep(1500 * time.Millisecond).See("the plan changed while this was open")
		if !off() {
			t.Errorf("the bar still offers the yes\n%s", d.Screen())
		}
		d.Press(keymap.ConfirmNo)
	})
}

// A draft that blocks is thrown away by the key that resolves a comment, and that is what is said of it.
func TestADraftThatBlocksIsThrownAway(t *testing.T) {
	s, k := uitest.NewSmall(), &uitest.Drafts{}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: with(k), W: 160, H: 40}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.Press(keymap.Comment).Type("not so").Press(keymap.ComposeBlock, keymap.ComposeSend).Sleep(time.Second)
		d.Press(keymap.Accept).See("blocks", "x on the comment discards it").Hidden("resolves it").Press(keymap.Back)
		d.Press(keymap.PlaceNext).See("x discard").Hidden("X resolve/reopen").Press(keymap.CommentSettle, keymap.ConfirmYes)
		d.Press(keymap.Accept, keymap.ConfirmYes)
		if !accepted(t, s) {
			t.Errorf("not accepted\n%s", d.Screen())
		}
	})
}

// unruly is keys whose rules were not understood.
type unruly struct{ signer }

func (k *unruly) Required(string) (review.Level, error) {
	return 0, errors.New(`config.toml: approvals.required is singed for high; it may be claimed, signed or touched`)
}

// While nobody knows what an approval needs, nothing is offered to be accepted, and the reason is whole.
func TestRulesThatAreNotUnderstoodVoidEveryDialog(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 40, KeepUnread: true, Change: func(d *ui.Deps) {
		d.Keys, d.Settings = &unruly{}, []string{"approvals.required is singed"}
	}}, func(d *uitest.Driver) {
		d.See("A setting is invalid", "nothing can be accepted; otherwise").Hidden("and its default is used").Press(keymap.Back)
		for _, name := range []string{"lexer tokens", "grammar notes"} {
			goTo(d, name)
			d.Press(keymap.Accept).Sleep(time.Second).See("You can't accept anything", "singed for high", "signed or touched")
			if !greyed(d, "y Accept") {
				t.Errorf("%s: the yes is offered\n%s", name, d.Screen())
			}
			d.Press(keymap.ConfirmNo)
		}
	})
}

// Anyone who accepts finished work is told that the plan is no longer the accepted one, and what of it was
// not accepted.
func TestTheDialogForWorkSaysWhatWasAccepted(t *testing.T) {
	s := uitest.NewSmall()
	s.EditTask(s.Work, func(x *model.Task) { x.Status.AcceptedPlan.Excluded = []string{"Cleanup"} })
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 40}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Accept).See("the plan was accepted without", "Cleanup").Hidden("has changed since").Press(keymap.ConfirmNo)
		s.Edit(s.Work, model.Plan, "# Another\n")
		d.Sleep(1500*time.Millisecond).Press(keymap.Accept).See("what was accepted has changed since", "plan.md").Press(keymap.ConfirmNo)
	})
}

// waitsForPlan is a store in which one task waits for another, whose plan waits to be reviewed.
func waitsForPlan(t *testing.T) *uitest.Store {
	t.Helper()
	s := uitest.NewStore()
	do := func(op model.Op) {
		t.Helper()
		if _, err := s.Do(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	first, second := s.NewUID(), s.NewUID()
	do(model.Op{Name: model.CreateTask, Actor: uitest.Ann, Args: model.NewTask{UID: first, Name: "the first", Objective: "x"}})
	do(model.Op{Name: model.DefinePlan, UID: first, Actor: uitest.Robot, Args: model.NewPlan{Text: "p"}})
	do(model.Op{
		Name: model.CreateTask, Actor: uitest.Ann,
		Args: model.NewTask{UID: second, Name: "the second", Objective: "x", DependsOn: []model.UID{first}},
	})
	do(model.Op{Name: model.DefinePlan, UID: second, Actor: uitest.Robot, Args: model.NewPlan{Text: "p"}})
	do(model.Op{Name: model.AcceptPlan, UID: second, Actor: uitest.Ann})
	return s
}

// The dialog for an end says what can never be done then, and what becomes of the time for all.
func TestADialogSaysWhatFollows(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: 110, H: 40}, func(d *uitest.Driver) {
		goTo(d, "the first")
		d.Press(keymap.Abort).See(`"the second": could then never be completed`, "A person is asked", "Then no open work can be done")
		d.Key("esc")
		d.Press(keymap.Replan).See("Replan").Hidden("can never be completed")
	})
}
