package ui_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui"
)

// What the screen showed of the task and the project is bound like the texts: when any of it is another
// by the time of the yes, nothing is accepted, and what differs is shown.
func TestTermsThatChangedAreNotAccepted(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("terms", "spec ", "approval", "claimed: it is not signed")
		s.EditTask(s.Plan, func(x *model.Task) { x.Spec = &model.Spec{Description: "and delete the database"} })
		d.Press(keymap.ConfirmYes).See("spec.json of lexer tokens changed meanwhile", "and delete the database")
		d.Press(keymap.PagerClose).Status(s.Plan, model.StatusReviewPlan)
		d.Press(keymap.Accept, keymap.ConfirmYes)
		if task(t, s.Store, s.Plan).Status.AcceptedPlan == nil {
			t.Fatal("what was shown then could not be accepted")
		}
	})
}

// So are the texts of other tasks that it depends on.
func TestADependencyThatChangedIsNotAccepted(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.AddDependency, UID: s.Plan, Actor: uitest.Ann, Args: model.DependencyEdit{DependsOn: []model.UID{s.Work}}})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("results of other tasks")
		s.PutResult(s.Work, "summary.md", "Something else.\n")
		d.Press(keymap.ConfirmYes).See("result of", "changed meanwhile", "only their hashes are stored")
		d.Press(keymap.PagerClose).Status(s.Plan, model.StatusReviewPlan)
	})
}

// A plan is accepted with the predefined phases of its task, and their plans are shown.
func TestPhasesAreShownAndAcceptedWithTheirParent(t *testing.T) {
	s := uitest.NewSmall()
	const last model.UID = "tsk-c"
	big := s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Ann, Args: model.NewTask{Name: "Big", Objective: "Rule.\n", Phases: true, PhaseUIDs: [3]model.UID{"tsk-a", "tsk-b", last}}})
	s.Must(model.Op{Name: model.DefinePlan, UID: big, Actor: uitest.Ann, Args: model.NewPlan{Text: "First the islands.\n"}})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "Big")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("create_subtasks, accepted with it:", "1. Read the accepted plan of the parent.")
		d.Press(keymap.ConfirmYes).Status(last, model.StatusReady)
	})
}

// signer is keys that a test holds.
type signer struct {
	err    error
	signed [][]byte
}

func (k *signer) CanSign() bool { return true }
func (k *signer) Sign(_ context.Context, statement []byte) (string, error) {
	k.signed = append(k.signed, statement)
	return "signature of the test", k.err
}
func (k *signer) Attest(review.Approval) review.Attested { return review.Attested{} }
func (k *signer) Required(string) (review.Level, error)  { return review.LevelSigned, nil }

// An approval is signed by what was on the screen; when that fails nothing is accepted, and the
// same key continues.
func TestAnApprovalIsSigned(t *testing.T) {
	s := uitest.NewSmall()
	keys := &signer{err: errors.New("nobody touched the key")}
	uitest.Run(t, uitest.Options{Store: s.Store, Change: func(d *ui.Deps) { d.Keys = keys }}, func(d *uitest.Driver) {
		goTo(d, "lexer tokens")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("signed with your key; it must be signed").Press(keymap.ConfirmYes)
		d.See("nobody touched the key", `plan of "lexer tokens"`).Status(s.Plan, model.StatusReviewPlan)
		keys.err = nil
		d.Press(keymap.Back, keymap.Accept, keymap.ConfirmYes)
		p := task(t, s.Store, s.Plan).Status.AcceptedPlan
		if p == nil || len(keys.signed) != 2 || !strings.Contains(string(keys.signed[1]), p.PlanHash) || !strings.Contains(string(keys.signed[1]), p.SpecHash) {
			t.Fatalf("%+v %q", p, keys.signed)
		}
		b, err := s.ApprovalBody(s.Plan, p.Approval)
		is, failed := review.DecodeApproval(b)
		if err != nil || failed != nil || is.Signature != "signature of the test" || string(is.Statement()) != string(keys.signed[1]) {
			t.Fatalf("%s\n%s", b, keys.signed[1])
		}
		d.Press(keymap.Reject).Press(keymap.Back) // nothing else is signed
		if len(keys.signed) != 2 {
			t.Error("more was signed")
		}
	})
}

// What was typed goes along with the verdict, and into what is signed: where it will stand, also when it
// was typed on a plan that was another.
func TestWhatIsSaidAlongIsSigned(t *testing.T) {
	s, k, keys := uitest.NewSmall(), &uitest.Drafts{}, &signer{}
	before := model.PlaceAt([]byte("# Plan\n\n2. Write the test\n"), 3, 3)
	if err := k.Keep("", s.Plan, []review.Draft{{ID: "d-old", Doc: model.Plan, Place: before, Text: "which test?"}}, nil); err != nil {
		t.Fatal(err)
	}
	change := func(d *ui.Deps) { d.Keys, d.Drafts = keys, k }
	uitest.Run(t, uitest.Options{Store: s.Store, Change: change}, func(d *uitest.Driver) {
		reading(d, "lexer tokens")
		d.See("which test?").Press(keymap.Accept, keymap.ConfirmYes)
		p := task(t, s.Store, s.Plan).Status.AcceptedPlan
		if p == nil || len(keys.signed) != 1 {
			t.Fatalf("%+v %q", p, keys.signed)
		}
		b, err := s.ApprovalBody(s.Plan, p.Approval)
		is, failed := review.DecodeApproval(b)
		if err != nil || failed != nil || is.Comments.Hash == "" || string(is.Statement()) != string(keys.signed[0]) {
			t.Fatalf("written\n%s\nand signed\n%s", is.Statement(), keys.signed[0])
		}
		if said, ok := is.Comments.In(reviewOf(t, s.Store, s.Plan)); !ok || len(said) != 1 || said[0].Place.From == 3 {
			t.Errorf("%+v", said)
		}
	})
}

// A task that is not what was approved shows how it differs from that.
func TestTheDifferenceToWhatWasApproved(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.SetFields, UID: s.Ready, Actor: uitest.Robot, Args: model.FieldEdit{Set: []model.Assignment{{Key: "description", Value: "something else"}}}})
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "fuzz targets")
		d.Status(s.Ready, model.StatusChanged)
		d.Press(keymap.Diff).See("spec.json since", "was approved", "what human:ann approved", "something else")
		d.Press(keymap.PagerClose)
	})
}
