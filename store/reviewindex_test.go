package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"vespe/model"
	"vespe/store/checkpoint"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/sections"
)

// reviewsAgree compares what is known of the reviews of a plan's revisions with what a search through the
// log finds.
func reviewsAgree(t *testing.T, when string, s *Store, uid model.UID, revisions int) {
	t.Helper()
	for n := 1; n <= revisions; n++ {
		hash, logged, err := s.writer.Reviews.Hash(t.Context(), reviewAt(s, uid, n))
		if err != nil {
			t.Fatal(err)
		}
		last := lastEntry(t, s)
		want, wantLogged, err := s.writer.Reviews.Search(t.Context(), reviewAt(s, uid, n), last)
		if err != nil {
			t.Fatal(err)
		}
		// Where there is no file, whether the log goes back to the beginning makes no difference.
		_, gone := os.Stat(vespe(s, reviewAt(s, uid, n)))
		if hash != want || logged != wantLogged && (hash != "" || gone == nil) {
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

// A checkpoint whose table is damaged, or of an older vespe, tells nothing, and nothing wrong.
func TestReviewsOfACheckpointThatIsDamaged(t *testing.T) {
	for name, damage := range map[string]func(bodies [][]byte) [][]byte{
		"cut off": func(all [][]byte) [][]byte {
			all[checkpoint.Reviews] = all[checkpoint.Reviews][:len(all[checkpoint.Reviews])-1]
			return all
		},
		"without head": func(all [][]byte) [][]byte {
			all[checkpoint.Reviews] = all[checkpoint.Reviews][len("reviews\n"):]
			return all
		},
		"empty": func(all [][]byte) [][]byte { all[checkpoint.Reviews] = nil; return all },
		"older": func(all [][]byte) [][]byte { return all[:checkpoint.Reviews] },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := commented(t, s)
			do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# another\n"}})
			load(t, s)
			must(t, s.checkpoints.Write(t.Context()))
			must(t, os.Remove(vespe(s, reviewAt(s, uid, 1))))
			last := lastEntry(t, s)
			file := checkpoint.File(last)
			b := []byte(read(t, vespe(s, file)))
			_, parts, err := sections.Parse(b, checkpoint.Magic)
			if err != nil {
				t.Fatal(err)
			}
			var bodies [][]byte
			for _, sec := range parts {
				bodies = append(bodies, append([]byte(nil), sec.Body...))
			}
			c := mustGet(checkpoint.ParseHead(headOf(t, b)))(t)
			head := func(in fsys.Info) []byte { c.Dev, c.Ino = in.Dev, in.Ino; return c.Encode() }
			again := sections.Content{Magic: checkpoint.Magic, Head: head, Sections: damage(bodies)}
			must(t, again.Write(s.disk.FS, "tmp/again"))
			must(t, os.Rename(filepath.Join(s.Root(), layout.Name, "tmp/again"), vespe(s, file)))
			r := open(t, s.Root(), testOptions())
			if o, ps := r.checkpoints.Find(); o == nil || o.Seq != last || len(ps) > 0 {
				t.Fatalf("the checkpoint is not used: %v", ps)
			}
			load(t, r)
			reviewsAgree(t, name, r, uid, 2)
			if f, err := r.Review(t.Context(), uid, 1); err != nil || len(f.Comments) != 1 {
				t.Errorf("the review is %+v, %v", f, err)
			}
		})
	}
}

func headOf(t *testing.T, b []byte) []byte {
	t.Helper()
	head, _, err := sections.Parse(b, checkpoint.Magic)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// Of entries that are gone again, as after a power cut, nothing is known, also where others have their
// numbers.
func TestReviewsOfALogThatWasSetBack(t *testing.T) {
	s := newStore(t)
	uid, other := commented(t, s), create(t, s, "other", "")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# another\n"}})
	last := lastEntry(t, s)
	reviewsAgree(t, "before", s, uid, 2)
	b := s.writer.Reviews.Index.Pack(last - 1)
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
	x := open(t, s.Root(), testOptions())
	x.writer.Reviews.Index.Start(sections.Of(b), last-1)
	reviewsAgree(t, "with a table of before", x, uid, 2)
}
