package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/snapshot"
	"vespe/store/reflections"
)

// reflected are the lines of a store, in short.
func reflected(t testing.TB, s *Store) (lines []string) {
	t.Helper()
	all, problems, err := s.Reflections(context.Background(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		lines = append(lines, "problem "+p.Code)
	}
	for _, r := range all {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s%s %s", r.Kind, r.Name, r.Actor, r.Verdict, r.Outcome, r.Reason+r.Why)))
	}
	return lines
}

func wantReflected(t testing.TB, s *Store, want ...string) {
	t.Helper()
	if got := reflected(t, s); !slices.Equal(got, want) {
		t.Errorf("reflections are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestReflections(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	uid := planned(t, s, "one")
	wantReflected(t, s)
	if _, err := os.Stat(vespe(s, reflections.Dir)); err == nil {
		t.Error("a store without verdicts has a directory for them")
	}
	do(t, s, model.Op{Name: model.RejectPlan, UID: uid, Actor: ann, Reason: "too vague", Args: model.Feedback{Comments: []model.NewComment{
		{Kind: model.Demand, Blocking: true, Doc: model.Plan, Place: model.Place{From: 1, To: 1}, Text: "say how"},
		{Kind: model.Question, Doc: model.Plan, Text: "why?"},
	}}})
	do(t, s, model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	do(t, s, model.Op{Name: model.ResolveComment, UID: uid, Actor: ann, Args: model.CommentRef{Comment: commentsOf(t, s, uid)[0]}})
	do(t, s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann, Reason: "go"}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-1"}})
	ask := do(t, s, model.Op{Name: model.Ask, UID: uid, Actor: robot, Args: model.NewRequest{Title: "Drop it?", Kind: model.KindAction}})
	do(t, s, model.Op{Name: model.AnswerRequest, Actor: ann, Args: model.Answering{Request: ask.Change.Request, Decision: model.DecideDeny, Text: "never on a Friday"}})
	do(t, s, model.Op{Name: model.RaiseError, UID: uid, Actor: robot, Args: model.ErrorReport{Details: "oops", Report: &model.RunReport{
		Attempt: 1, Template: "claude", Why: "two tests fail", Cost: 0.5, Phase: "verify",
		Criteria: []model.CriterionState{{Criterion: 1, State: "fail"}},
	}}})
	wantReflected(t, s,
		"verdict one human:ann reject_plan too vague", "verdict one human:ann undo", "verdict one human:ann accept_plan go",
		"verdict one human:ann answer never on a Friday", "run one agent:robot error two tests fail")
	all, _, err := s.Reflections(context.Background(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if r := all[0]; r.Comments != (reflection.Comments{Count: 2, Blocking: 1, Changes: 1, Questions: 1}) || r.Revision != 1 {
		t.Errorf("%+v", r)
	}
	if r := all[1]; r.Undone != model.RejectPlan {
		t.Errorf("%+v", r)
	}
	if r := all[3]; r.Decision != model.DecideDeny || r.Title != "Drop it?" || r.Request != ask.Change.Request {
		t.Errorf("%+v", r)
	}
	if r := all[4]; r.Run != "run-1" || r.Cost != 0.5 || r.Template != "claude" || r.Attempt != 1 || r.Criteria != 1 || r.Seconds != 1 {
		t.Errorf("%+v", r)
	}
	for _, r := range all {
		if r.Op == "" || r.Seq == 0 || r.Task != uid {
			t.Errorf("%+v", r)
		}
	}
	if later, _, err := s.Reflections(context.Background(), all[3].At); err != nil || len(later) != 2 {
		t.Errorf("%d since the fourth, %v", len(later), err)
	}
	do(t, s, model.Op{Name: model.Retry, UID: uid, Actor: robot}, model.Op{Name: model.Start, UID: uid, Actor: robot, Args: model.NewRun{ID: "run-2"}})
	do(t, s, model.Op{Name: model.RaiseError, UID: uid, Actor: robot, Args: model.ErrorReport{Details: "nobody reported more"}})
	if got := reflected(t, s); got[len(got)-1] != "run one agent:robot error nobody reported more" {
		t.Errorf("%q", got)
	}
	for _, p := range doctor(t, s) {
		t.Errorf("doctor: %+v", p)
	}
}

func commentsOf(t testing.TB, s *Store, uid model.UID) (ids []string) {
	t.Helper()
	f := mustGet(model.DecodeReviewFile([]byte(read(t, vespe(s, reviewAt(s, uid, 1))))))(t)
	for _, c := range f.Comments {
		if c.Blocking {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Whenever a writer dies, the next one leaves each line once: of what was committed, and of nothing else.
func TestReflectionsSurviveEveryCrash(t *testing.T) {
	t.Parallel()
	template := initIn(t, fastDir(t), testOptions())
	uid := started(t, template, "one", "run-1")
	ops := []model.Op{
		{ID: "op", Name: model.WorkCompleted, UID: uid, Actor: robot, Args: model.Completion{Report: &model.RunReport{Attempt: 1}}},
		{ID: "op2", Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "no"},
	}
	later := func() func() time.Time {
		c := newClock()
		c.t = c.t.Add(time.Hour)
		return c.now
	}
	first, seq := inMemory(t, template), load(t, template).Seq()
	for _, short := range []bool{false, true} { // a write that fails has written half
		for k := 1; ; k++ {
			d := first.copied()
			f := &faultFS{dead: true, short: short, err: errDead, at: k}
			s, err := f.openOn(d, Options{Now: later(), Rand: entropy(uint64(k))})
			must(t, err)
			_, _ = s.DoAll(context.Background(), ops)
			over := f.calls < k
			next := openOn(t, d, Options{Now: later(), Rand: entropy(99)})
			do(t, next, model.Op{Name: model.RenameTask, UID: uid, Actor: ann, Args: model.NewName{Name: "other"}})
			want := []string{"verdict one human:ann accept_plan"}
			if load(t, next).Seq() > seq+1 {
				want = append(want, "run one agent:robot completed", "verdict one human:ann review_rejected no")
			}
			wantReflected(t, next, want...)
			if t.Failed() {
				t.Fatalf("killed at call %d: %s", k, strings.Join(f.trace, "\n"))
			}
			if over {
				break
			}
		}
	}
}

// Lines of others stay, whatever they are; and what cannot be written keeps nobody from deciding.
func TestReflectionsBesideOthers(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	first, second := planned(t, s, "one"), planned(t, s, "two")
	accept := func(uid model.UID) snapshot.Applied {
		t.Helper()
		a := mustGet(s.Do(context.Background(), model.Op{Name: model.AcceptPlan, UID: uid, Actor: ann}))(t)
		return a
	}
	day := vespe(s, reflections.Dir+"/"+newClock().now().Format(time.DateOnly))
	// An older version of another clone wrote to the file of the day and was cut off; and somebody wrote what is no line.
	theirs := reflection.Line{At: newClock().now(), Seq: 5, Op: "theirs", Kind: reflection.OfVerdict, Task: first, Actor: "human:bob", Judgment: reflection.Judgment{Verdict: model.AcceptPlan}}
	again := theirs
	again.Seq = 99 // as the log of a third clone has it
	foreign := "<<<<<<< HEAD\n" + string(theirs.Append(nil)) + string(again.Append(nil)) + `{"by":"someb`
	write(t, day+".jsonl", foreign)
	accept(first)
	wantEqual(t, "the file", read(t, day+".jsonl"), foreign)
	wantReflected(t, s, "problem bad-line", "verdict  human:bob accept_plan", "verdict one human:ann accept_plan")
	// What is no plain directory is not written through, and says so once for each line.
	outside := filepath.Join(s.root, "outside")
	must(t, errors.Join(os.Remove(day+".jsonl"), os.RemoveAll(day), os.Mkdir(outside, 0o755), os.Symlink(outside, day)))
	if a := accept(second); len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "reflections") {
		t.Errorf("warnings %q", a.Warnings)
	}
	if es, err := os.ReadDir(outside); err != nil || len(es) > 0 {
		t.Errorf("outside: %v, %v", es, err)
	}
	must(t, os.Remove(day))
	do(t, s, model.Op{Name: model.Replan, UID: second, Actor: ann, Reason: "other way"})
	wantReflected(t, s, "verdict two human:ann replan other way")
}
