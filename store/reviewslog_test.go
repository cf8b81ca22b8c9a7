package store

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/txlog"
)

// searched looks for the review of a revision through the whole log: what vespe wrote since the revision began, else what
// somebody else did.
func searched(t *testing.T, s *Store, uid model.UID, n int) (hash string, logged bool) {
	t.Helper()
	edited, review, begins := "", reviewAt(s, uid, n), revisionAt(s, uid, model.Plan, n)
	for seq := lastEntry(t, s); seq > 0; seq-- {
		e, _, err := s.log.ReadEntry(seq)
		if err != nil {
			continue // nobody knows what it wrote
		}
		for _, f := range e.Files {
			switch {
			case f.Path == review && !f.Edited:
				return f.Hash, true
			case f.Path == review && edited == "":
				edited = f.Hash
			}
		}
		if slices.ContainsFunc(e.Files, func(f txlog.FileImage) bool { return f.Path == begins && !f.Edited }) {
			return edited, true
		}
	}
	return edited, edited != ""
}

// reviewsAgree compares what is known of the reviews of a plan's revisions with what a search through the
// log finds.
func reviewsAgree(t *testing.T, when string, s *Store, uid model.UID, revisions int) {
	t.Helper()
	for n := 1; n <= revisions; n++ {
		hash, logged, err := s.writer.Reviews.Hash(t.Context(), reviewAt(s, uid, n))
		if err != nil {
			t.Fatal(err)
		}
		if want, wantLogged := searched(t, s, uid, n); hash != want || logged != wantLogged {
			t.Errorf("%s, revision %d: %.15q, %v, want %.15q, %v", when, n, hash, logged, want, wantLogged)
		}
	}
}

// What the log wrote to reviews is known after every entry, by who wrote them, who reads along, who begins
// with a checkpoint and who has none, also past an edit by files.
func TestReviewsAreKnown(t *testing.T) {
	s := initIn(t, fastDir(t), testOptions())
	uid := commented(t, s)
	reader := open(t, s.Root(), testOptions())
	load(t, reader)
	sleeper := open(t, s.Root(), testOptions())
	load(t, sleeper)
	revisions := 1
	reviewsAgree(t, "at first", sleeper, uid, revisions)
	agree := func(when string) {
		t.Helper()
		fresh := open(t, s.Root(), testOptions())
		load(t, fresh)
		for name, r := range map[string]*Store{"the writer": s, "a reader": reader, "a new one": fresh} {
			reviewsAgree(t, name+" "+when, r, uid, revisions+1)
		}
	}
	step := func(op model.Op) {
		t.Helper()
		op.UID = uid
		do(t, s, op)
		agree("after " + string(op.Name))
	}
	rounds := func() {
		t.Helper()
		for i := range 3 {
			step(model.Op{Name: model.DefinePlan, Actor: ann, Args: model.NewPlan{Text: fmt.Sprintf("# plan %d\n", revisions+1)}})
			revisions++
			if i == 1 {
				continue // nobody says anything about that one
			}
			step(model.Op{Name: model.RejectPlan, Actor: ann, Reason: "no"})
			step(model.Op{Name: model.UndoVerdict, Actor: ann})
		}
	}
	rounds()
	editedReview(t, s, uid)
	agree("after an edit by files")
	write(t, vespe(s, reviewAt(s, uid, 2)), "{}")
	write(t, vespe(s, reviewAt(s, uid, revisions+1)), "{}")
	agree("beside forged files")
	load(t, s)
	must(t, s.checkpoints.Write(t.Context()))
	agree("after a checkpoint")
	rounds()
	reviewsAgree(t, "who slept", sleeper, uid, revisions+1)
	must(t, os.Remove(vespe(s, reviewAt(s, uid, 3))))
	agree("with a file that is gone")
	for _, name := range globs(t, s, "log/snap-*") {
		must(t, os.Remove(name))
	}
	agree("without a checkpoint")
	rounds()
	last := lastEntry(t, s)
	for _, name := range globs(t, s, "log/snap-*") {
		must(t, os.Remove(name))
	}
	write(t, vespe(s, layout.EntryFile(last-1)), "{")
	reviewsAgree(t, "with an entry that can't be read", open(t, s.Root(), testOptions()), uid, revisions+1)
}

// editedReview lets somebody write a comment into a task's review past vespe, and takes it over.
func editedReview(t *testing.T, s *Store, uid model.UID) {
	t.Helper()
	f := mustGet(s.Review(t.Context(), uid, 0))(t)
	f.Comments = append(f.Comments, model.Comment{ID: "cabcdef", Kind: model.Remark, Doc: model.Plan, Text: "by files", By: ann, Since: f.Revision, State: model.CommentOpen})
	body := model.EncodeReviewFile(f)
	status := vespe(s, layout.TaskFile(uid, layout.StatusFile))
	st, _ := model.DecodeStatus("", []byte(read(t, status)))
	st.Comments.Hash, st.Comments.Open = model.HashBytes(body), st.Comments.Open+1
	write(t, vespe(s, reviewAt(s, uid, f.Revision)), string(body))
	write(t, status, string(model.EncodeStatus(st)))
	load(t, s)
	if took, err := s.ImportComments(t.Context(), uid); err != nil || took == nil {
		t.Fatal(took, err)
	}
}

// Of entries that are gone again, as after a power cut, nothing is known, also where others have their
// numbers.
func TestReviewsOfALogThatWasSetBack(t *testing.T) {
	s := newStore(t)
	uid, other := commented(t, s), create(t, s, "other", "")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# another\n"}})
	last := lastEntry(t, s)
	reviewsAgree(t, "before", s, uid, 2)
	for _, name := range append(globs(t, s, "log/snap-*"), vespe(s, layout.EntryFile(last))) {
		must(t, os.Remove(name))
	}
	reviewsAgree(t, "set back", s, uid, 2)
	do(t, open(t, s.Root(), testOptions()), model.Op{Name: model.RenameTask, UID: other, Actor: ann, Args: model.NewName{Name: "x"}})
	if now, err := s.log.Tail(0); err != nil || now < last {
		t.Fatal(now, err)
	}
	load(t, s)
	reviewsAgree(t, "with another entry", s, uid, 2)
}
