package store

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
	"vespe/store/view"
)

// commented is a task with a plan that a person has commented on, blocking.
func commented(t *testing.T, s *Store) model.UID {
	t.Helper()
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{
		{Kind: model.Demand, Blocking: true, Place: model.Place{From: 1}, Text: "keep the old one"},
	}}})
	return uid
}

func blockedBy(t *testing.T, s *Store, uid model.UID) {
	t.Helper()
	_, err := s.Do(t.Context(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	wantRefusal(t, err, model.CodeRefused, model.GuardUnblocked)
}

// A review file that somebody else wrote counts for nothing: the log has what vespe wrote, and
// that is written again with the next comment, the other bytes beside it.
func TestAReviewFileOfSomebodyElse(t *testing.T) {
	s := newStore(t)
	uid := commented(t, s)
	name := vespe(s, reviewAt(s, uid, 1))
	const forged = `{"revision":1,"plan_hash":"x","verdict":"accepted","comments":[]}`
	write(t, name, forged)
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil || len(f.Comments) != 1 || f.Verdict != "" {
		t.Fatalf("it is read as %+v, %v", f, err)
	}
	blockedBy(t, s, uid)
	a, err := s.Do(t.Context(), model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "and another"}}}})
	if err != nil || len(a.Warnings) != 1 {
		t.Fatalf("%v, and it warns of %v", err, a.Warnings)
	}
	if f, err = model.DecodeReviewFile([]byte(read(t, name))); err != nil || len(f.Comments) != 2 {
		t.Errorf("the file has %+v, %v", f, err)
	}
	kept := globs(t, s, "tasks/*/reviews/*.theirs-*")
	if len(kept) != 1 || read(t, kept[0]) != forged {
		t.Errorf("what stood there is kept in %v", kept)
	}
	do(t, s, model.Op{Name: model.ResolveComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: f.Comments[0].ID}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann})
	projectionHolds(t, s)
}

// Nor does one of an earlier revision, or of one that is decided: anyone who asks for it by its number
// gets what vespe wrote, in the words that were said.
func TestAReviewOfARevisionOfSomebodyElse(t *testing.T) {
	for name, forge := range map[string]func(t *testing.T, file string){
		"another verdict": func(t *testing.T, file string) {
			write(t, file, strings.ReplaceAll(read(t, file), `"rejected"`, `"accepted"`))
		},
		"other words": func(t *testing.T, file string) {
			write(t, file, strings.ReplaceAll(read(t, file), "keep the old one", "go on"))
		},
		"removed": func(t *testing.T, file string) {
			must(t, os.Remove(file))
		},
		"nonsense": func(t *testing.T, file string) { write(t, file, "{") },
	} {
		for _, later := range []string{"", "later"} {
			t.Run(name+" "+later, func(t *testing.T) {
				s := newStore(t)
				uid := commented(t, s)
				do(t, s, model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "no"})
				if later != "" {
					f := mustGet(s.Review(t.Context(), uid, 1))(t)
					do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# another\n", Answers: []model.CommentAnswer{{Comment: f.Comments[0].ID, Resolution: model.CommentAddressed, Text: "done"}}}})
				}
				want, err := s.Review(t.Context(), uid, 1)
				if err != nil || want.Verdict != "rejected" || len(want.Comments) != 1 {
					t.Fatalf("it was %+v, %v", want, err)
				}
				forge(t, vespe(s, reviewAt(s, uid, 1)))
				tellsOfReview(t, s, uid, later == "")
				got, err := s.Review(t.Context(), uid, 1)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("it is read as %+v, %v, want %+v", got, err, want)
				}
			})
		}
	}
}

// status.json by hand takes no comment away that blocks.
func TestCommentsAreNotForgotten(t *testing.T) {
	for name, edit := range map[string]func(*model.StatusFile){
		"left out":    func(st *model.StatusFile) { st.Comments = nil },
		"counted out": func(st *model.StatusFile) { st.Comments.Blocking, st.Comments.Open = 0, 0 },
		"of no file":  func(st *model.StatusFile) { st.Comments.Hash = model.HashBytes([]byte("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			uid := commented(t, s)
			file := vespe(s, layout.TaskFile(uid, layout.StatusFile))
			st, _ := model.DecodeStatus("", []byte(read(t, file)))
			edit(&st)
			write(t, file, string(model.EncodeStatus(st)))
			load(t, s)
			blockedBy(t, s, uid)
			closed(t, s)
			s = open(t, s.Root(), testOptions())
			load(t, s)
			blockedBy(t, s, uid)
			do(t, s, model.Op{Name: model.SetFields, UID: uid, Actor: ann, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}}}})
			blockedBy(t, s, uid)
		})
	}
}

// A plan that is rewritten past vespe keeps its comments, at the lines that they are about.
func TestCommentsFollowAnEdit(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	plan := read(t, vespe(s, layout.TaskFile(uid, "plan.md")))
	do(t, s, model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Place: model.Place{From: 1}, Text: "x"}}}})
	write(t, vespe(s, layout.TaskFile(uid, "plan.md")), "# Before it\n\n"+plan)
	do(t, s, model.Op{Name: model.AddComment, UID: uid, Actor: ann, Args: model.Remarks{Comments: []model.NewComment{{Text: "y"}}}})
	f, err := s.Review(t.Context(), uid, 0)
	if err != nil || f.Revision != 2 || len(f.Comments) != 2 || f.Comments[0].Place.From != 3 || f.Comments[0].Place.Fate != "kept" {
		t.Fatalf("got %+v, %v", f, err)
	}
	if old, err := s.Review(t.Context(), uid, 1); err != nil || old.Revision != 1 || len(old.Comments) != 1 {
		t.Errorf("the review of revision 1 is %+v, %v", old, err)
	}
}

// Comments that somebody wrote into the file in a person's name, and spoke of in status.json, are shown as
// what a file says, before they are taken over and after it; the words of known ones are those that
// were given.
func TestCommentsInAPersonsName(t *testing.T) {
	s := newStore(t)
	uid := commented(t, s)
	name, status := vespe(s, reviewAt(s, uid, 1)), vespe(s, layout.TaskFile(uid, layout.StatusFile))
	theirs, err := s.Review(t.Context(), uid, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs.Comments[0].Text = "go on"
	more := theirs.Comments[0]
	more.ID, more.Text = "cabcdef", "and delete the tests"
	more.Replies = []model.Reply{{State: model.CommentOpen, Text: "at once", By: ann, At: more.At, Revision: 1}}
	theirs.Comments = append(theirs.Comments, more)
	theirs.Comments[0].Replies = []model.Reply{{State: model.CommentAddressed, Text: "forged", By: ann, At: more.At, Revision: 1}}
	body := model.EncodeReviewFile(theirs)
	write(t, name, string(body))
	st, _ := model.DecodeStatus("", []byte(read(t, status)))
	st.Comments.Hash, st.Comments.Open = model.HashBytes(body), 1
	write(t, status, string(model.EncodeStatus(st)))
	look := func(when string) {
		t.Helper()
		for _, revision := range []int{0, 1} {
			f, err := s.Review(t.Context(), uid, revision)
			if err != nil || len(f.Comments) != 2 {
				t.Fatalf("%s: %+v, %v", when, f, err)
			}
			own, forged := f.Comments[0], f.Comments[1]
			if own.Text != "keep the old one" || own.Via != "" || len(own.Replies) != 1 || own.Replies[0].Via != model.ViaFiles {
				t.Errorf("%s the comment that was given is %+v", when, own)
			}
			if forged.Via != model.ViaFiles || forged.Replies[0].Via != model.ViaFiles {
				t.Errorf("%s the other is %+v", when, forged)
			}
		}
	}
	load(t, s)
	look("before it is taken over")
	if took, err := s.ImportComments(t.Context(), uid); err != nil || took == nil {
		t.Fatal(took, err)
	}
	if again, err := s.ImportComments(t.Context(), uid); err != nil || again != nil {
		t.Errorf("imported twice: %v, %v", again, err)
	}
	if len(s.Edited()) != 0 {
		t.Errorf("it is not imported: %v", s.Edited())
	}
	look("after")
	projectionHolds(t, s)
}

// tellsOfReview looks whether lists and the inbox name a review file that is not what vespe wrote.
func tellsOfReview(t *testing.T, s *Store, uid model.UID, want bool) {
	t.Helper()
	snap := today(t, s, load(t, s))
	named := slices.ContainsFunc(snap.Problems(), func(p model.Problem) bool { return p.Code == view.CodeReview && p.UID == uid })
	shown := slices.ContainsFunc(snap.Inbox(), func(i snapshot.InboxItem) bool {
		return i.Kind == snapshot.InboxProblem && strings.HasPrefix(i.Title, "reviews/")
	})
	if named != want || shown != want {
		t.Errorf("a problem names it: %v, the inbox: %v, want %v", named, shown, want)
	}
}

func wantRefusal(t *testing.T, err error, code model.Code, guard model.Guard) {
	t.Helper()
	var r *model.Refusal
	if !errors.As(err, &r) || r.Code != code || r.Guard != guard {
		t.Errorf("got %v, want it refused by %s (%s)", err, guard, code)
	}
}
