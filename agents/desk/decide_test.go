package desk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

// decides reports that only a person, or vespe itself, may do what a row says.
func decides(t model.Transition) bool { return t.Who != model.WhoAny }

func TestNoDecisionIsReachable(t *testing.T) {
	walked := 0
	for _, row := range lifecycle.Table() {
		if !decides(row) && !row.Verdict {
			continue
		}
		walked++
		if row.Name == model.Replan {
			continue // a verdict where a person fires it; an agent asks for another plan by it, and decides nothing
		}
		if slices.Contains(mayDo, row.Name) {
			t.Errorf("%s is %s's, and a desk may do it", row.Name, row.Who)
		}
		f := newFixture(t)
		_, err := f.d.do(t.Context(), f.s, model.Op{Name: row.Name, UID: f.create("a")})
		refused(t, err, CodeDenied, string(row.Name))
	}
	if walked < 12 {
		t.Errorf("the table has %d decisions: is the walk right?", walked)
	}
	for _, name := range mayDo {
		if row, ok := lifecycle.Lookup(name); ok && decides(row) {
			t.Errorf("a desk may do %s, which is for %s", name, row.Who)
		}
	}
	for _, name := range []model.Name{model.Reopen, model.Skip, model.Abort, model.Resume, model.Retry, model.StopRun, model.Settle, model.Escalate, model.Decompose, model.ImportTask, model.ExternalEdit} {
		if slices.Contains(mayDo, name) {
			t.Errorf("a desk may do %s", name)
		}
	}
}

// All that is written goes through do: it is the one function that calls Do, DoAll or another of the store's writers.
func TestThereIsOneWayToTheLog(t *testing.T) {
	writers := []string{"Do", "DoAll", "ImportEdits", "CheckAll", "Repair", "GC", "Prioritize", "ImportComments", "WriteRunFile"}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || !slices.Contains(writers, sel.Sel.Name) {
					return true
				}
				if calls++; fn.Name.Name != "do" {
					t.Errorf("%s calls %s in %s", fn.Name.Name, sel.Sel.Name, file.Name())
				}
				return true
			})
		}
	}
	if calls != 1 {
		t.Errorf("%d calls write to the log: is the walk right?", calls)
	}
}

// Everything that a desk can do to a task, in each of its states: no verdict, answer or acceptance comes of it, and
// none that a person gave goes but by the plan that takes its place.
func TestAnAgentDecidesNothingInAnyState(t *testing.T) {
	states := map[string]func(f fixture, uid model.UID){
		"planned": func(fixture, model.UID) {},
		"accepted": func(f fixture, uid model.UID) {
			f.accept(uid)
		},
		"asked": func(f fixture, uid model.UID) {
			f.as(ann, model.Op{Name: model.QuestionPlan, UID: uid, Reason: "why?"})
		},
		"rejected": func(f fixture, uid model.UID) {
			f.as(ann, model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"})
		},
		"running": func(f fixture, uid model.UID) {
			f.accept(uid)
			f.as(claude, model.Op{Name: model.Start, UID: uid})
		},
		"waiting": func(f fixture, uid model.UID) {
			f.ask(Question{TaskID: string(uid), Title: "May I?"})
		},
		"done": func(f fixture, uid model.UID) {
			f.accept(uid)
			f.as(claude, model.Op{Name: model.Start, UID: uid}, model.Op{Name: model.WorkCompleted, UID: uid})
		},
		"failed": func(f fixture, uid model.UID) {
			f.as(ann, model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: "x", Failure: true}})
		},
		"aborted": func(f fixture, uid model.UID) {
			f.as(ann, model.Op{Name: model.Abort, UID: uid, Reason: "x"})
		},
	}
	for name, reach := range states {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			uid := f.create("a")
			f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
			reach(f, uid)
			before := f.task(uid).Status
			snap, _ := f.s.Refresh(t.Context())
			head := snap.Seq()
			f.everything(uid)
			after := f.task(uid).Status
			if after.AcceptedPlan != nil && (before.AcceptedPlan == nil || after.AcceptedPlan.Approval != before.AcceptedPlan.Approval) {
				t.Errorf("a plan is accepted: %+v", after.AcceptedPlan)
			}
			if r := after.Review; r != nil && (before.Review == nil || r.Verdict != before.Review.Verdict || r.By != before.Review.By) {
				t.Errorf("there is a verdict: %+v", r)
			}
			snap, _ = f.s.Refresh(t.Context())
			for _, q := range snap.Requests() {
				if q.Answer != nil {
					t.Errorf("%s is answered: %+v", q.ID, q.Answer)
				}
			}
			feed, err := f.s.Events(t.Context(), head, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range feed.Events {
				if row, ok := lifecycle.Lookup(e.Name); ok && decides(row) && e.Actor != "system:vespe" {
					t.Errorf("%s did %s", e.Actor, e.Name)
				}
			}
		})
	}
}

// everything calls all that a desk can do about a task; most of it is refused.
func (f fixture) everything(uid model.UID) {
	f.Helper()
	ctx, id := f.Context(), string(uid)
	rev := func() int { return f.task(uid).Status.Revision }
	version := func() int { return f.task(uid).Status.PlanRevision }
	for _, d := range []*Desk{f.d, deskAt(f, f.s, Options{Actor: "agent:codex"}), deskAt(f, f.s, Options{Actor: claude, Run: "run-1", Task: id})} {
		_, _ = d.Next(ctx, Want{TaskID: id, Claim: true})
		_, _ = d.Next(ctx, Want{Claim: true})
		_, _ = d.Show(ctx, id, Includes()...)
		_, _ = d.Ask(ctx, Question{TaskID: id, Title: "May I?", Kind: KindAction, Key: "k"})
		_, _ = d.Report(ctx, Report{TaskID: id, Rev: rev(), Summary: "accepted by human:ann"})
		_, _ = d.Update(ctx, Change{TaskID: id, Rev: rev(), Patch: Patch{Name: pointer("b"), Risk: pointer("low"), AddCriteria: []string{"x"}}})
		_, _ = d.Create(ctx, NewTasks{Items: []NewItem{{Name: "part", Parent: id}}})
		_, _ = d.SubmitPlan(ctx, Plan{TaskID: id, BaseVersion: version(), PlanMD: "two " + string(d.Actor()), Reason: "better"})
		_, _ = d.SubmitPlan(ctx, Plan{TaskID: id, BaseVersion: version(), Responses: []Response{{FeedbackID: "c000000", Resolution: "resolved"}}})
		_, _ = d.Report(ctx, Report{TaskID: id, Rev: rev(), Summary: "it failed", Failed: true})
		for _, review := range []string{PlanReviewID(uid, max(1, version())), WorkReviewID(uid, max(1, version()))} {
			_, _ = d.Look(ctx, review)
			_, _ = d.Wait(ctx, review, 0, nil)
		}
	}
}
