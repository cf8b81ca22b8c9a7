package desk

import (
	"context"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// ready is a task with an accepted plan.
func (f fixture) ready(name string) model.UID {
	f.Helper()
	uid := f.create(name)
	f.submit(Plan{TaskID: string(uid), PlanMD: "plan of " + name})
	f.accept(uid)
	return uid
}

// accept accepts a plan so that the task waits to be started.
func (f fixture) accept(uid model.UID) {
	f.Helper()
	f.as(ann, model.Op{Name: model.AcceptPlan, UID: uid})
}

func (f fixture) next(w Want) Next {
	f.Helper()
	n, err := f.d.Next(f.Context(), w)
	if err != nil {
		f.Fatal(err)
	}
	if n.NextAction == "" {
		f.Errorf("%+v says nothing to do", n)
	}
	return n
}

func TestNextGivesEachTaskOnce(t *testing.T) {
	f := newFixture(t)
	if n := f.next(Want{Claim: true}); n.Do != DoNothing || n.Task != nil {
		t.Errorf("of an empty store it gives %+v", n)
	}
	a, b := f.ready("a"), f.ready("b")
	if n := f.next(Want{}); n.Do != DoWork || n.Claimed || n.Task.ID != string(a) || n.Task.Plan == nil || n.Task.Plan.Text != "plan of a" || !n.Task.Plan.Accepted {
		t.Errorf("it gives %+v", n)
	}
	one := f.next(Want{Claim: true, Key: "k1"})
	if !one.Claimed || one.Task.ID != string(a) || one.Run == "" || one.Run != f.task(a).Status.CurrentRun || one.Task.Rev != f.task(a).Status.Revision {
		t.Errorf("it gives %+v", one)
	}
	if again := f.next(Want{Claim: true, Key: "k1"}); again.Task.ID != string(a) || again.Run != one.Run || !again.Claimed {
		t.Errorf("the call repeated gives %+v", again)
	}
	if again := f.next(Want{Claim: true, TaskID: string(a)}); again.Task.ID != string(a) || again.Run != one.Run || !again.Claimed || !strings.Contains(again.NextAction, "another session of yours") {
		t.Errorf("named it is %+v", again)
	}
	two := f.next(Want{Claim: true, Key: "k2"})
	if !two.Claimed || two.Task.ID != string(b) || len(two.Yours) != 1 || two.Yours[0].ID != string(a) {
		t.Errorf("then it gives %+v", two)
	}
	other := deskAt(t, f.s, Options{Actor: "agent:codex"})
	if n, err := other.Next(t.Context(), Want{Claim: true}); err != nil || n.Task != nil {
		t.Errorf("another agent gets %+v, %v", n, err)
	}
	_, err := other.Next(t.Context(), Want{Claim: true, TaskID: string(a)})
	refused(t, err, CodeRefused)
	_, err = f.d.Next(t.Context(), Want{Filter: "status:nonsense"})
	refused(t, err, CodeInvalid)
}

func TestNextGivesPlansToWrite(t *testing.T) {
	f := newFixture(t)
	fresh, sent := f.create("fresh"), f.create("sent back")
	f.submit(Plan{TaskID: string(sent), PlanMD: "one"})
	f.as(ann, model.Op{Name: model.RejectPlan, UID: sent, Reason: "no"})
	n := f.next(Want{Claim: true})
	if n.Do != DoPlan || n.Claimed || n.Task.ID != string(sent) || !strings.Contains(n.NextAction, "base_version 1") {
		t.Errorf("it gives %+v", n)
	}
	if got := n.Task.Feedback; got == nil || got.Review.State != StateRejected || len(got.Rejected) != 1 || got.Rejected[0].Reason != "no" {
		t.Errorf("its feedback is %+v", got)
	}
	f.submit(Plan{TaskID: string(sent), BaseVersion: 1, PlanMD: "two"})
	if n := f.next(Want{}); n.Task.ID != string(fresh) {
		t.Errorf("then it gives %+v", n.Task)
	}
	f.submit(Plan{TaskID: string(fresh), PlanMD: "one"})
	n = f.next(Want{})
	if n.Do != DoWait || n.Task != nil || len(n.WhyBlocked) != 2 || !strings.Contains(n.WhyBlocked[0].Why, "review") {
		t.Errorf("then it gives %+v", n)
	}
}

func TestNextNamesEveryReason(t *testing.T) {
	f := newFixture(t)
	first, second, last := f.create("first"), f.create("second"), f.create("last")
	f.submit(Plan{TaskID: string(last), PlanMD: "one"})
	f.as(ann, model.Op{Name: model.AddDependency, UID: last, Args: model.DependencyEdit{DependsOn: []model.UID{first, second}}})
	f.as(ann, model.Op{Name: model.Pause, UID: last, Reason: "lunch"})
	n := f.next(Want{TaskID: string(last)})
	if n.Do != DoWait || len(n.WhyBlocked) != 1 {
		t.Fatalf("it gives %+v", n)
	}
	for _, want := range []string{"is paused (lunch)", "review its plan", `blocked by "first"`, `blocked by "second"`} {
		if got := n.WhyBlocked[0].Why; strings.Count(got, want) != 1 {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// Whatever is in the way has its reason, also where nobody has to do anything.
func TestNextSaysWhyOfEveryTask(t *testing.T) {
	f := newFixture(t)
	busy, done := f.ready("busy"), f.ready("done")
	for _, uid := range []model.UID{busy, done} {
		f.as(ann, model.Op{Name: model.Start, UID: uid})
	}
	f.as(ann, model.Op{Name: model.WorkCompleted, UID: done, Args: model.Completion{Summary: "it is"}})
	f.as(ann, model.Op{Name: model.ReviewAccepted, UID: done})
	for uid, want := range map[model.UID]string{busy: "is being worked on by human:ann: nothing to do but wait", done: "it is done, and waits for nothing"} {
		n := f.next(Want{TaskID: string(uid)})
		if len(n.WhyBlocked) != 1 || n.WhyBlocked[0].Why != want {
			t.Errorf("it gives %+v, want %q", n.WhyBlocked, want)
		}
	}
	if n := f.next(Want{}); len(n.WhyBlocked) != 1 || n.WhyBlocked[0].Why == "" {
		t.Errorf("it gives %+v", n.WhyBlocked)
	}
	held := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "drop it", Objective: "o", Spec: &model.Spec{RequiresHITL: true}}}).Change.Tasks[0].UID
	f.submit(Plan{TaskID: string(held), PlanMD: "one"})
	f.accept(held)
	if n := f.next(Want{Claim: true}); len(n.WhyBlocked) != 2 || n.WhyBlocked[1].Why != "a person must allow its start" {
		t.Errorf("it gives %+v", n.WhyBlocked)
	}
}

func TestATaskOfHighRiskIsNotStartedWithoutAPerson(t *testing.T) {
	f := newFixture(t)
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "drop it", Objective: "o", Spec: &model.Spec{RequiresHITL: true}}}).Change.Tasks[0].UID
	f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	f.accept(uid)
	later := f.ready("later")
	n := f.next(Want{Claim: true, Key: "k"})
	if n.Review == nil || n.Review.State != StatePending || n.Task.ID != string(later) || !n.Claimed {
		t.Errorf("it gives %+v", n)
	}
	if st := f.task(uid).Status; st.CurrentRun != "" {
		t.Error("it runs")
	}
	n = f.next(Want{Claim: true, TaskID: string(uid), Key: "k"})
	if n.Do != DoWait || n.Claimed || n.Review == nil {
		t.Errorf("named it gives %+v", n)
	}
	f.as(ann, answer(n.Review.ReviewID, model.Answering{Decision: model.DecideAccept}))
	n = f.next(Want{Claim: true, TaskID: string(uid), Key: "k"})
	if n.Do != DoWork || !n.Claimed || n.Task.ID != string(uid) {
		t.Errorf("allowed it gives %+v", n)
	}
}

func TestAStartThatWasDeniedIsNotAskedForAgain(t *testing.T) {
	f := newFixture(t)
	var uids []model.UID
	for _, name := range []string{"drop it", "drop that"} {
		uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: name, Objective: "o", Spec: &model.Spec{RequiresHITL: true}}}).Change.Tasks[0].UID
		f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
		f.accept(uid)
		uids = append(uids, uid)
	}
	n := f.next(Want{Claim: true})
	if n.Review == nil || n.Review.TaskID != string(uids[0]) || n.Do != DoWait {
		t.Fatalf("it gives %+v", n)
	}
	if snap, _ := f.s.Refresh(t.Context()); len(snap.Requests()) != 1 {
		t.Errorf("%d questions are asked at once", len(snap.Requests()))
	}
	f.as(ann, answer(n.Review.ReviewID, model.Answering{Decision: model.DecideDeny, Text: "not today"}))
	n = f.next(Want{Claim: true})
	if n.Review == nil || n.Review.TaskID != string(uids[1]) || n.Review.State != StatePending {
		t.Errorf("then it gives %+v", n)
	}
	named := f.next(Want{Claim: true, TaskID: string(uids[0])})
	if named.Claimed || named.Review == nil || named.Review.State != StateDenied || !strings.Contains(named.NextAction, "SAID NO") {
		t.Errorf("named it is %+v", named)
	}
	if st := f.task(uids[0]).Status; st.CurrentRun != "" {
		t.Error("it runs")
	}
}

func TestAReportWaitsForAPerson(t *testing.T) {
	f := newFixture(t)
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{
		Name: "a", Objective: "o", Spec: &model.Spec{AcceptanceCriteria: []model.Criterion{{Text: "it builds"}, {Text: "it runs"}}},
	}}).Change.Tasks[0].UID
	f.submit(Plan{TaskID: string(uid), PlanMD: "one"})
	f.accept(uid)
	n := f.next(Want{Claim: true})
	report := Report{TaskID: string(uid), Rev: n.Task.Rev, Summary: "All of it.", Criteria: []Claim{{ID: 1, Evidence: "go build `x`", Note: "passed"}, {ID: 2, Note: "not tried"}}}
	_, err := f.d.Report(t.Context(), Report{TaskID: string(uid), Rev: n.Task.Rev - 1, Summary: "x"})
	refused(t, err, CodeStale, "again")
	_, err = f.d.Report(t.Context(), Report{TaskID: string(uid), Summary: "x"})
	refused(t, err, CodeInvalid, "rev")
	_, err = f.d.Report(t.Context(), Report{TaskID: string(uid), Rev: n.Task.Rev})
	refused(t, err, CodeInvalid, "summary")
	_, err = f.d.Report(t.Context(), Report{TaskID: string(uid), Rev: n.Task.Rev, Summary: "x", Criteria: []Claim{{ID: 3}}})
	refused(t, err, CodeInvalid, "criterion 3")
	_, err = deskAt(t, f.s, Options{Actor: "agent:codex"}).Report(t.Context(), report)
	refused(t, err, CodeRefused, "agent:claude-code is working on it")

	early := f.look(WorkReviewID(uid, 1))
	f.is(early, StatePending)
	if early.Text != "the work is running" {
		t.Errorf("it is %+v", early)
	}
	for range 2 { // the second call is the first, repeated
		r, err := f.d.Report(t.Context(), report)
		if err != nil {
			t.Fatal(err)
		}
		f.is(r, StatePending)
		if r.Kind != KindWork || r.ReviewID != WorkReviewID(uid, 1) {
			t.Errorf("it is %+v", r)
		}
	}
	task := f.task(uid)
	if task.Status.CurrentState != model.Completed {
		t.Errorf("it is %s", task.Status.CurrentState)
	}
	for _, c := range task.Spec.AcceptanceCriteria {
		if c.State != "" {
			t.Errorf("what the agent says makes %q %s", c.Text, c.State)
		}
	}
	b, err := f.s.ReadResult(t.Context(), uid, "summary.md", 1<<20)
	if want := "All of it.\n\nIts report on the acceptance criteria, not checked:\n\n- 1. it builds: passed — `` go build `x` ``\n- 2. it runs: not tried\n"; err != nil || string(b) != want {
		t.Errorf("the result is %q, %v", b, err)
	}
	f.as(ann, model.Op{Name: model.ReviewRejected, UID: uid, Reason: "it does not run"})
	r := f.look(WorkReviewID(uid, 1))
	f.is(r, StateRejected)
	if r.Text != "it does not run" || !strings.HasPrefix(r.NextAction, "YOUR WORK WAS SENT BACK.") {
		t.Errorf("it is %+v", r)
	}
	f.submit(Plan{TaskID: string(uid), BaseVersion: 1, PlanMD: "two"})
	f.is(f.look(WorkReviewID(uid, 1)), StateSuperseded)
}

func TestAReportOfFailure(t *testing.T) {
	f := newFixture(t)
	uid := f.ready("a")
	n := f.next(Want{Claim: true})
	report := Report{TaskID: string(uid), Rev: n.Task.Rev, Summary: "the compiler is missing", Failed: true, Key: "k"}
	for range 2 {
		r, err := f.d.Report(t.Context(), report)
		if err != nil || r.Decided() || !strings.Contains(r.NextAction, "failure") {
			t.Errorf("it is %+v, %v", r, err)
		}
	}
	if st := f.task(uid).Status; st.CurrentState != model.Errored || st.ErrorDetails != "the compiler is missing" {
		t.Errorf("it is %+v", st)
	}
	report.Summary = "something else"
	_, err := f.d.Report(t.Context(), report)
	refused(t, err, CodeKey)
}

func TestAWorkerOfTheLoopCompletesNothing(t *testing.T) {
	f := newFixture(t)
	uid := f.ready("a")
	run := f.as("system:loop", model.Op{Name: model.Start, UID: uid, Args: model.NewRun{Worker: claude, ID: "run-7"}}).Change.Tasks[0].Status.CurrentRun
	d := deskAt(t, f.s, Options{Actor: claude, Run: run, Task: string(uid)})
	n, err := d.Next(t.Context(), Want{Claim: true})
	if err != nil || !n.Claimed || n.Task.ID != string(uid) || n.Run != run {
		t.Errorf("it is given %+v, %v", n, err)
	}
	r, err := d.Report(t.Context(), Report{Summary: "done"})
	if err != nil {
		t.Fatal(err)
	}
	f.is(r, StateVerifying)
	if st := f.task(uid).Status; st.CurrentState != model.Working || st.CurrentRun != run {
		t.Errorf("it is %+v", st)
	}
	if b, _, err := f.s.ReadRunFile(t.Context(), uid, run, "output.jsonl", 0, 1<<20); err != nil || !strings.Contains(string(b), `"done`) {
		t.Errorf("its words are %q, %v", b, err)
	}
	other := f.ready("b")
	_, err = d.Next(t.Context(), Want{Claim: true, TaskID: string(other)})
	refused(t, err, CodeDenied)
	f.as("system:loop", model.Op{Name: model.StopRun, UID: uid, Reason: "stopped"})
	_, err = d.Report(t.Context(), Report{Summary: "done"})
	refused(t, err, CodeRefused, "is over", "Stop")
}

func TestATaskWithItsParts(t *testing.T) {
	f := newFixture(t)
	first := f.ready("first")
	f.next(Want{Claim: true})
	if _, err := f.d.Report(t.Context(), Report{TaskID: string(first), Rev: f.task(first).Status.Revision, Summary: "left a note"}); err != nil {
		t.Fatal(err)
	}
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "second", Objective: "o\n", DependsOn: []model.UID{first}, Spec: &model.Spec{
		GoalType: "bugfix", AcceptanceCriteria: []model.Criterion{{Text: "it builds"}}, Labels: []string{"x"},
	}}}).Change.Tasks[0].UID
	f.submit(Plan{TaskID: string(uid), PlanMD: "plan"})
	f.as(ann, model.Op{Name: model.AddComment, UID: uid, Args: model.Remarks{Comments: []model.NewComment{{Text: "hm"}}}})
	ask := f.ask(Question{TaskID: string(uid), Title: "Which port?"})
	v, err := f.d.Show(t.Context(), uid.Short(), Includes()...)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case v.ID != string(uid) || v.Name != "second" || v.Version != 1 || v.Rev != f.task(uid).Status.Revision || v.Status != "waiting" || v.NextAction == "":
		t.Errorf("it is %+v", v.Row)
	case v.Objective.Text != "o\n" || v.Plan.Text != "plan" || v.Plan.Version != 1 || v.Plan.Accepted:
		t.Errorf("its texts are %+v, %+v", v.Objective, v.Plan)
	case len(v.Criteria) != 1 || v.Criteria[0].ID != 1 || v.Details.GoalType != "bugfix" || v.Details.Labels[0] != "x":
		t.Errorf("it is to be %+v, %+v", v.Criteria, v.Details)
	case v.Feedback.Review.State != StatePending || len(v.Feedback.Comments) != 1 || v.Feedback.Comments[0].Text != "hm":
		t.Errorf("feedback is %+v", v.Feedback)
	case len(v.Requests) != 1 || v.Requests[0].ReviewID != ask.ReviewID:
		t.Errorf("requests are %+v", v.Requests)
	case len(v.Dependencies) != 1 || v.Dependencies[0].ID != string(first) || !v.Dependencies[0].Met:
		t.Errorf("dependencies are %+v", v.Dependencies)
	case len(v.Results) != 1 || v.Results[0].TaskID != string(first) || v.Results[0].Text != "left a note\n" || !strings.HasSuffix(v.Results[0].Path, "/result/summary.md"):
		t.Errorf("results are %+v", v.Results)
	}
	f.as(ann, answer(ask.ReviewID, model.Answering{Decision: model.DecideRespond, Text: "8080"}))
	v, err = f.d.Show(t.Context(), string(uid), IncludeRequests)
	if err != nil || v.Requests[0].Text != "8080" || v.Rev != f.task(uid).Status.Revision {
		t.Errorf("it is %+v, %v", v, err)
	}
	snap, _ := f.s.Refresh(t.Context())
	if q, _ := FindRequest(snap, ask.ReviewID); q.Answer.FetchedBy != "" {
		t.Errorf("a look counts as reading the answer: %q", q.Answer.FetchedBy)
	}
	v, err = f.d.Show(t.Context(), string(first), IncludeRuns, IncludeDependencies)
	if err != nil || len(v.Runs) != 1 || v.Runs[0].Outcome != model.RunCompleted || v.Runs[0].Worker != string(claude) || len(v.Dependents) != 1 || v.Plan != nil {
		t.Errorf("it is %+v, %v", v, err)
	}
	_, err = f.d.Show(t.Context(), string(first), "everything")
	refused(t, err, CodeInvalid, "everything", "objective, plan")
	_, err = f.d.Show(t.Context(), "nothing")
	refused(t, err, CodeNotFound)
}

type searcher struct{ snapshot.SearchAnswer }

func (s searcher) Search(context.Context, *snapshot.Snapshot, snapshot.SearchQuery) (snapshot.SearchAnswer, error) {
	return s.SearchAnswer, nil
}

func TestListAndSearch(t *testing.T) {
	f := newFixture(t)
	var uids []string
	for _, name := range []string{"alpha", "beta", "c", "d", "e"} {
		uids = append(uids, string(f.create(name)))
	}
	var got []string
	q := ListQuery{Limit: 2}
	for range 3 {
		l, err := f.d.List(t.Context(), q)
		if err != nil || l.NextAction == "" {
			t.Fatalf("%+v, %v", l, err)
		}
		for _, r := range l.Tasks {
			got = append(got, r.ID)
		}
		if q.Cursor = l.NextCursor; q.Cursor != "" {
			f.create("meanwhile")
		}
	}
	if len(got) < 5 || strings.Join(got[:5], " ") != strings.Join(uids, " ") {
		t.Errorf("the pages are %v, want %v", got, uids)
	}
	if l, err := f.d.List(t.Context(), ListQuery{Filter: "beta is:planning"}); err != nil || l.Total != 1 || l.Tasks[0].ID != uids[1] {
		t.Errorf("%+v, %v", l, err)
	}
	for _, bad := range []ListQuery{{Limit: -1}, {Limit: MostList + 1}, {Cursor: "../x"}, {Cursor: "zzz"}, {Filter: "is:nonsense"}} {
		_, err := f.d.List(t.Context(), bad)
		refused(t, err, CodeInvalid)
	}

	_, err := f.d.Search(t.Context(), SearchQuery{Text: "x"})
	refused(t, err, CodeRefused, "task_list")
	d := deskAt(t, f.s, Options{Actor: claude, Search: searcher{snapshot.SearchAnswer{
		Hits: []snapshot.SearchHit{{UID: model.UID(uids[0]), Name: "a", Matches: []snapshot.SearchMatch{{Field: snapshot.SearchPlan, Snippet: "the x", Line: 3}}}}, Indexed: 5, Tasks: 5,
	}}})
	found, err := d.Search(t.Context(), SearchQuery{Text: "x", Fields: []string{"plans"}})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].ID != uids[0] || found.Hits[0].Matches[0] != (Match{Field: "plan", Snippet: "the x", Line: 3}) {
		t.Errorf("%+v, %v", found, err)
	}
	for _, bad := range []SearchQuery{{}, {Text: "x", Limit: 1000}, {Text: "x", Fields: []string{"smell"}}} {
		_, err := d.Search(t.Context(), bad)
		refused(t, err, CodeInvalid)
	}
}
