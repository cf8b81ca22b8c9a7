package ui_test

import (
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/runlog"
)

const ofxPatch = "diff --git a/ofx.go b/ofx.go\n--- a/ofx.go\n+++ b/ofx.go\n@@ -1,2 +1,3 @@ package ofx\n package ofx\n-func Parse() {}\n+func Parse(r io.Reader) {}\n+func close() {} // \x1b[31m\n"

// reviewed is a task whose last run has left a patch and a report.
func reviewed(s *uitest.Store, tested bool) model.UID {
	uid := worked(s, "parse OFX")
	report := runlog.Report{OK: true, Tested: tested, Why: "no test was found", Checks: []runlog.Evidence{
		{Name: "go vet", Argv: []string{"go", "vet", "./..."}, Status: runlog.Pass},
		{Name: "lint", Argv: []string{"lint"}, Status: runlog.NotRun, Why: "the program is not there"},
	}, Criteria: []runlog.Criterion{{Text: "Unclosed tags are read", Status: runlog.NotRun, Why: "nothing checks it"}}}
	s.PutRun(uid, "run-second", "verify.json", string(report.Encode()))
	s.PutRun(uid, "run-second", "changes.patch", ofxPatch)
	return uid
}

// Finished work is read as a patch, commented on line by line, and goes back with the comments, which the
// next plan has to answer.
func TestWorkIsReviewedLikeAPlan(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, false)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Diff).See("Work on parse OFX", "attempt 2, run-second", "No test was found", "1 of 2 checks passed (lint: not run), 0 of 1 criterion met", "+ func close() {} // ␛[31m")
		d.Press(keymap.MoveDown, keymap.MoveDown, keymap.MoveDown, keymap.MoveDown)
		d.Press(keymap.Comment).See("Comment on parse OFX").Type("who calls this?").Press(keymap.ComposeSend)
		d.See("draft comment", "who calls this?", "not sent")
		d.Press(keymap.PagerClose, keymap.TabPlan).See("of the work", "who calls this?")
		d.Press(keymap.Reject).Type("half of it").Press(keymap.ComposeSend).Sleep(time.Second)
		d.Status(uid, model.StatusReplan)
		d.See("who calls this?", "comment, open", "its work was rejected by")
	})
	task, _ := s.Snapshot().Task(uid)
	b := task.Status.Comments
	if b == nil || b.Open != 1 {
		t.Fatalf("status.json knows of %+v", b)
	}
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Comments[0]
	if c.Doc != model.Changes || c.Spot != (model.Spot{Run: "run-second", File: "ofx.go", Line: 3}) || len(c.Place.Quote) != 1 || c.Place.From != 8 {
		t.Errorf("the comment is %+v", c)
	}
	// Anyone who plans anew answers it.
	plan := model.Op{Name: model.DefinePlan, UID: uid, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\nbetter\n"}}
	if _, err := s.Do(t.Context(), plan); err == nil {
		t.Error("a plan without an answer was taken")
	}
	lifecycle.SetArg(&plan, "answers", []model.CommentAnswer{{Comment: c.ID, Resolution: model.CommentAddressed}})
	s.Must(plan)
}

func TestTheDialogForWorkSaysWhatWasTested(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, false)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Accept).See("1 of 2 checks passed (lint: not run), 0 of 1 criterion met", "test was found.").Press(keymap.ConfirmDetails).See("check go vet", "pass, exit 0", "check lint", "not run, the program is not there", "Unclosed tags are read")
		d.Press(keymap.ConfirmDiff).See("Work on parse OFX", "func Parse(r io.Reader)")
		d.Press(keymap.MoveBottom, keymap.Comment).Type("well done").Press(keymap.ComposeSend, keymap.PagerClose)
		d.See("Your comment")
		d.Press(keymap.ConfirmYes).Sleep(time.Second).Status(uid, model.StatusDone)
	})
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil || len(f.Comments) != 1 || f.Comments[0].Spot.Run != "run-second" {
		t.Errorf("%v, the comments are %+v", err, f)
	}
}

// A comment that blocks keeps work from being accepted, and what a person did by hand is said to be so.
func TestABlockingCommentHoldsTheWork(t *testing.T) {
	s := uitest.NewSmall()
	reviewed(s.Store, true)
	uitest.Run(t, uitest.Options{Store: s.Store, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Diff, keymap.MoveBottom, keymap.Comment, keymap.ComposeBlock).Type("this must go").Press(keymap.ComposeSend, keymap.PagerClose)
		d.Press(keymap.Accept).See("this must go", "blocks", "rejects").Press(keymap.Back)
		goTo(d, "grammar notes")
		d.Press(keymap.Accept).See("Not verified: no checks ran").Press(keymap.ConfirmNo)
		d.Press(keymap.Diff).See("The run left no patch")
	})
}

// Beside finished work a comment is about the work, and one on a line of its patch names the line of the file.
func TestACommentOnWorkIsNotAboutThePlan(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, true)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Comment).See("On the work as a whole.").Type("too slow").Press(keymap.ComposeSend)
		d.Press(keymap.Diff, keymap.MoveBottom, keymap.Comment).See("On ofx.go:").Hidden("of the changes").Press(keymap.ComposeLeave, keymap.PagerClose)
		d.Press(keymap.CommentsSend)
	})
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil || len(f.Comments) != 1 || f.Comments[0].Doc != model.Changes || f.Comments[0].Spot != (model.Spot{Run: "run-second"}) {
		t.Errorf("%v, the comments are %+v", err, f)
	}
}

// What is compared can be decided on where it is read: the dialog comes in place of the difference.
func TestADifferenceLeadsToTheDialog(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, true)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Diff).See("Work on parse OFX", "accept")
		d.Press(keymap.Accept, keymap.ConfirmDetails).See("check go vet", "Unclosed tags are read").Press(keymap.ConfirmNo)
		d.Hidden("Work on parse OFX")
		d.Press(keymap.Diff).See("r reject").Press(keymap.Reject).See("Reject the work on", "try again").Hidden("Work on parse OFX").Press(keymap.ComposeLeave)
		d.Press(keymap.Diff, keymap.Accept).Sleep(time.Second).Press(keymap.ConfirmYes).Sleep(time.Second).Status(uid, model.StatusDone)
	})
	// So is a plan; of an older revision, or of none, there is nothing to be decided.
	uitest.Run(t, uitest.Options{Store: uitest.NewSmall().Store}, func(d *uitest.Driver) {
		d.Press(keymap.Log).Key("a").Hidden("a accept", "y Accept").Press(keymap.PagerClose)
	})
}

// Where lines end with a carriage return, too, a draft stands under its line.
func TestADraftStandsUnderItsLineOfAPatchWithCRLF(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, true)
	s.PutRun(uid, "run-second", "changes.patch", "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n first\r\n-second\r\n+other\r\n third\r\n")
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Diff, keymap.MoveBottom, keymap.MoveUp, keymap.Comment).Type("why that?").Press(keymap.ComposeSend)
		screen := d.Screen()
		if at, above, below := strings.Index(screen, "why that?"), strings.Index(screen, "+ other"), strings.LastIndex(screen, "third"); above < 0 || at < above || below < at {
			t.Errorf("the draft is not between its line and the next:\n%s", screen)
		}
	})
}

// A report that cannot be read is not the same as none: somebody may have written over it.
func TestAReportThatCannotBeReadIsSaid(t *testing.T) {
	s := uitest.NewSmall()
	uid := reviewed(s.Store, true)
	s.PutRun(uid, "run-second", "verify.json", `{"ok": tru`)
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		goTo(d, "parse OFX")
		d.Press(keymap.Diff).See("Not verified: can't read the results of its checks").Hidden("no report of any check").Press(keymap.PagerClose)
		d.Press(keymap.Accept).See("Not verified: can't read the results of its checks").Hidden("it was reported as done")
	})
}

// The footer names no key that would do nothing in the run on screen.
func TestARunWithoutAnythingHasNoKeysForIt(t *testing.T) {
	s := uitest.NewSmall()
	worked(s.Store, "parse OFX")
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		d.Press(keymap.ViewRuns, keymap.MoveDown).Sleep(time.Second).See("No log.")
		d.Press(keymap.FocusNext).Hidden("space unfold")
		d.Press(keymap.TabNext, keymap.TabNext).See("No patch.").Hidden("comment on patch")
	})
}
