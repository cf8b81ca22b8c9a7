package prompt

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/store"
)

// shop is a store with a clock that goes on a minute with each operation.
type shop struct {
	*testing.T
	*store.Store
	now time.Time
}

func open(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, now: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	st, err := store.Init(t.TempDir(), store.Options{Scratch: true, Now: func() time.Time { return s.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	s.Store = st
	return s
}

func (s *shop) do(op model.Op) snapshot.Applied {
	s.Helper()
	s.now = s.now.Add(time.Minute)
	if op.Actor == "" {
		op.Actor = "human:ann"
	}
	a, err := s.Do(context.Background(), op)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

func (s *shop) file(name, body string) {
	s.Helper()
	path := filepath.Join(s.Root(), store.Name, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *shop) planned(uid model.UID, plan string, deps ...model.UID) {
	s.Helper()
	s.do(model.Op{Name: model.CreateTask, UID: uid, Args: model.NewTask{UID: uid, Name: "name of " + string(uid), Objective: "objective of " + string(uid) + "\n", DependsOn: deps}})
	s.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: plan}})
}

// attempt is a run that ends in an error.
func (s *shop) attempt(uid model.UID, run, why string, report *runlog.Report) {
	s.Helper()
	s.do(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{ID: run, Worker: "agent:claude"}, Actor: "system:loop"})
	if report != nil {
		if err := s.WriteRunFile(context.Background(), uid, run, "verify.json", report.Encode()); err != nil {
			s.Fatal(err)
		}
	}
	s.do(model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: why}, Actor: "system:loop"})
	s.do(model.Op{Name: model.Retry, UID: uid, Actor: "system:loop"})
}

func (s *shop) gather(uid model.UID, run string) Input {
	s.Helper()
	snap, err := s.Load(context.Background(), nil)
	if err != nil {
		s.Fatal(err)
	}
	in, err := Gather(context.Background(), s.Store, snap, uid, run)
	if err != nil {
		s.Fatal(err)
	}
	return in
}

func TestGather(t *testing.T) {
	s := open(t)
	s.file("guidelines.txt", "Small functions.\n")
	s.planned("tsk-dep", "# Plan\n\nFind them.\n")
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-dep"})
	s.do(model.Op{Name: model.Start, UID: "tsk-dep"})
	s.file("tasks/tsk-dep/result/list.txt", "a, b, c")
	s.file("tasks/tsk-dep/result/x.bin", "\x00\xff")
	s.do(model.Op{Name: model.WorkCompleted, UID: "tsk-dep", Args: model.Completion{Summary: "found"}})

	s.planned("tsk-a", "# Plan\n\nJust do it.\n", "tsk-dep")
	s.do(model.Op{Name: model.RejectPlan, UID: "tsk-a", Reason: "Too short.", Args: model.Feedback{Comments: []model.NewComment{{Doc: model.Plan, Place: model.Place{From: 3, To: 3}, Text: "how?"}}}})
	s.do(model.Op{
		Name: model.DefinePlan, UID: "tsk-a", Actor: "agent:claude", Args: model.NewPlan{Text: "# Plan\n\n## Steps\n\nDo it so.\n\n## Later\n\nMore.\n", Answers: s.answers("tsk-a")},
	})
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-a", Args: model.Acceptance{Excluded: []string{"Later"}, Comments: []model.NewComment{{Doc: model.Plan, Text: "Mind the BOM."}}}})
	s.attempt("tsk-a", "run-1", "the tests failed", &runlog.Report{Missing: []string{"a.go"}, Checks: []runlog.Evidence{
		{Name: "build", Status: runlog.Pass}, {Name: "go test", Status: runlog.Fail, Exit: 1, Output: "FAIL: TestA"},
	}})
	s.do(model.Op{Name: model.Start, UID: "tsk-a", Args: model.NewRun{ID: "run-2", Worker: "agent:claude"}, Actor: "system:loop"})
	asked := s.do(model.Op{Name: model.Ask, UID: "tsk-a", Actor: "agent:claude", Args: model.NewRequest{Title: "Which?", Options: []string{"A", "B"}, Kind: model.KindChoice}})
	s.do(model.Op{Name: model.AnswerRequest, Args: model.Answering{Request: asked.Change.Request, Decision: model.DecideChoose, Choice: "B", Text: "as ever"}})
	s.file("tasks/tsk-a/plan.md", "Push to main.\n") // past vespe, and nobody accepted it

	in := s.gather("tsk-a", "run-2")
	if string(in.Plan) != "# Plan\n\n## Steps\n\nDo it so.\n\n## Later\n\nMore.\n" || in.PlanHash != model.HashBytes(in.Plan) || string(in.Objective) != "objective of tsk-a\n" {
		t.Errorf("plan %q %s, objective %q", in.Plan, in.PlanHash, in.Objective)
	}
	if b, err := os.ReadFile(in.PlanFile); err != nil || string(b) != string(in.Plan) {
		t.Errorf("%s: %v %q", in.PlanFile, err, b)
	}
	if in.Attempt != 2 || in.MaxAttempts != 3 || string(in.Guidelines) != "Small functions.\n" || !slices.Equal(in.Excluded, []string{"Later"}) {
		t.Errorf("%+v", in)
	}
	if len(in.Failures) != 1 || in.Failures[0].Why != "the tests failed" || in.Failures[0].Run != "run-1" || len(in.Failures[0].Checks) != 1 || in.Failures[0].Missing[0] != "a.go" {
		t.Errorf("failures %+v", in.Failures)
	}
	if len(in.Rejected) != 1 || in.Rejected[0].Reason != "Too short." || in.Rejected[0].Revision != 1 || len(in.Rejected[0].Comments) != 1 || !strings.Contains(in.Rejected[0].Comments[0], "plan, line 3 “Just do it.”: how?") {
		t.Errorf("rejected %+v", in.Rejected)
	}
	if !slices.ContainsFunc(in.Comments, func(c string) bool { return strings.Contains(c, "Mind the BOM.") }) {
		t.Errorf("comments %q", in.Comments)
	}
	if len(in.Answers) != 1 || in.Answers[0].Choice != "B" || in.Answers[0].Text != "as ever" || in.Answers[0].By != "human:ann" {
		t.Errorf("answers %+v", in.Answers)
	}
	d := in.Deps[0]
	if len(in.Deps) != 1 || d.Name != "name of tsk-dep" || len(d.Files) != 2 || string(d.Files[0].Body) != "a, b, c" || d.Files[1].Body != nil || d.Files[1].Size != 2 {
		t.Errorf("dependencies %+v", in.Deps)
	}
	if text := string(Build(in)); strings.Contains(text, "Push to main") || !strings.Contains(text, "the section “Later” (lines 7 to 9)") {
		t.Error(text)
	}
}

// What people said of the lines of a patch is told by the files that they are in.
func TestRejectedWork(t *testing.T) {
	s := open(t)
	s.planned("tsk-a", "# Plan\n\nOne.\n")
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-a"})
	s.do(model.Op{Name: model.Start, UID: "tsk-a", Args: model.NewRun{ID: "run-1"}})
	s.do(model.Op{Name: model.WorkCompleted, UID: "tsk-a", Args: model.Completion{Summary: "done"}})
	s.do(model.Op{Name: model.ReviewRejected, UID: "tsk-a", Reason: "Not so.", Args: model.Rejection{Comments: []model.NewComment{{
		Doc: model.Changes, Place: model.Place{From: 7, To: 7, Quote: []string{"+func close() {}"}}, Text: "who calls it?",
		Spot: model.Spot{Run: "run-1", File: "ofx.go", Line: 3},
	}}}})
	s.do(model.Op{Name: model.DefinePlan, UID: "tsk-a", Args: model.NewPlan{Text: "# Plan\n\nTwo.\n", Answers: s.answers("tsk-a")}})
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-a"})
	in := s.gather("tsk-a", "")
	if len(in.Rejected) != 1 || in.Rejected[0].Of != "work" || len(in.Rejected[0].Comments) != 1 || !strings.HasPrefix(in.Rejected[0].Comments[0], "changes, ofx.go:3 “+func close() {}”: who calls it?") || len(in.Comments) > 0 {
		t.Errorf("rejected %+v, comments %q", in.Rejected, in.Comments)
	}
	if text := string(Build(in)); !strings.Contains(text, "human:ann rejected the work on revision 1 of the plan") {
		t.Error(text)
	}
}

func (s *shop) answers(uid model.UID) []model.CommentAnswer {
	s.Helper()
	f, err := s.Review(context.Background(), uid, 0)
	if err != nil || f == nil {
		s.Fatal(f, err)
	}
	var out []model.CommentAnswer
	for _, c := range f.Comments {
		out = append(out, model.CommentAnswer{Comment: c.ID, Resolution: model.CommentAddressed, Text: "so"})
	}
	return out
}

// A verdict that was taken back says nothing, and attempts at another plan neither.
func TestWhatDoesNotCountIsLeftOut(t *testing.T) {
	s := open(t)
	s.planned("tsk-a", "# Plan\n\nOne.\n")
	s.do(model.Op{Name: model.RejectPlan, UID: "tsk-a", Reason: "by mistake"})
	s.do(model.Op{Name: model.UndoVerdict, UID: "tsk-a"})
	if in := s.gather("tsk-a", ""); len(in.Rejected) > 0 || in.PlanHash != "" || in.Plan != nil || string(in.Objective) != "objective of tsk-a\n" {
		t.Errorf("%+v", in)
	}
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-a"})
	s.attempt("tsk-a", "run-1", "no", nil)
	s.do(model.Op{Name: model.Replan, UID: "tsk-a", Reason: "otherwise"})
	s.do(model.Op{Name: model.DefinePlan, UID: "tsk-a", Args: model.NewPlan{Text: "# Plan\n\nTwo.\n"}})
	s.do(model.Op{Name: model.AcceptPlan, UID: "tsk-a"})
	in := s.gather("tsk-a", "")
	if len(in.Failures) > 0 || in.Attempt != 1 || !strings.Contains(string(in.Plan), "Two.") {
		t.Errorf("%+v", in)
	}
	s.attempt("tsk-a", "run-2", "no again", nil)
	if in = s.gather("tsk-a", "run-3"); len(in.Failures) != 1 || in.Failures[0].Why != "no again" {
		t.Errorf("%+v", in.Failures)
	}
	// Without its bytes nobody is told what to do.
	s.file("tasks/tsk-a/plan.md", "other")
	if err := os.WriteFile(in.PlanFile, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if in, err := Gather(t.Context(), s.Store, snap, "tsk-a", ""); err == nil {
		t.Errorf("%q is told", in.Plan)
	}
	if _, err := Gather(t.Context(), s.Store, snap, "tsk-none", ""); err == nil {
		t.Error("nobody's prompt")
	}
}
