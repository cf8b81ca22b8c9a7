package lifecycle_test

import (
	"slices"
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
)

func TestChildrenOfAWorkingParent(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "one", Parent: parent, Objective: "do one\n"}})
	d.wantSummary(c, `Created "one" under "parent". "parent" waits for it`)
	one := c.Tasks[0].UID
	st := d.task(parent).Status
	if !st.IsPaused || st.PauseReason != "subtasks" || st.PreviousState != model.Working || !slices.Equal(st.SubtaskUIDs, []model.UID{one}) {
		t.Errorf("the parent: %+v", st)
	}
	if got := d.status(parent); got != "subtasks" {
		t.Errorf("status %q", got)
	}
	two := d.running("two", parent)
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: parent}, model.GuardNotPaused, model.CodeRefused)
	if !strings.Contains(r.Hint, "subtasks") {
		t.Errorf("hint %q", r.Hint)
	}
	d.refused(model.Op{Name: model.Resume, UID: parent}, model.GuardSubtasks, model.CodeRefused)
	c = d.complete(two, "")
	d.wantPause(parent, "subtasks")
	if strings.Contains(c.Summary, "resumes") {
		t.Errorf("summary %q", c.Summary)
	}
	if got := d.task(parent).Status.Progress; got != "1/2" {
		t.Errorf("progress %q, want 1/2", got)
	}
	d.do(model.Op{Name: model.DefinePlan, UID: one, Args: model.NewPlan{Text: "p\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: one})
	c = d.complete(one, "")
	d.wantSummary(c, `"parent" resumes`)
	d.wantPause(parent, "")
	st = d.task(parent).Status
	if st.CurrentState != model.Working || st.PreviousState != "" || st.Progress != "2/2" || st.CurrentRun == "" {
		t.Errorf("the parent: %+v", st)
	}
	if e := c.Events[1]; e.Name != model.HandleSubtaskCompletion || e.UID != parent || e.Cause != one || e.Actor != vespe {
		t.Errorf("event %+v", e)
	}
	d.complete(parent, "")
}

func TestParentOfOpenChildrenIsNotCompleted(t *testing.T) {
	d := newDesk(t)
	parent := d.planned("parent", "")
	child := d.create("child", parent) // the parent is not working yet, so it waits for nothing
	if st := d.task(parent).Status; st.IsPaused || len(st.SubtaskUIDs) > 0 {
		t.Errorf("the parent: %+v", st)
	}
	d.do(model.Op{Name: model.AcceptPlan, UID: parent})
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: parent}, model.GuardSubtasks, model.CodeRefused)
	if !strings.Contains(r.Why, `"child"`) {
		t.Errorf("why: %s", r.Why)
	}
	d.do(model.Op{Name: model.SpawnSubtask, UID: parent, Args: model.SubtaskRef{Subtask: child}})
	d.refused(model.Op{Name: model.SpawnSubtask, UID: parent, Args: model.SubtaskRef{Subtask: child}}, model.GuardSubtask, model.CodeRefused)
	d.refused(model.Op{Name: model.SpawnSubtask, UID: parent, Args: model.SubtaskRef{Subtask: parent}}, model.GuardSubtask, model.CodeRefused)
	d.refused(model.Op{Name: model.SpawnSubtask, UID: parent, Args: model.SubtaskRef{Subtask: "tsk-none"}}, model.GuardSubtask, model.CodeNotFound)
	d.abort(child)
	d.wantPause(parent, "")
	d.refused(model.Op{Name: model.SpawnSubtask, UID: parent, Args: model.SubtaskRef{Subtask: child}}, model.GuardSubtask, model.CodeRefused)
	d.complete(parent, "")
}

func TestFailureOfAChildClimbs(t *testing.T) {
	d := newDesk(t)
	top := d.running("top", "")
	middle := d.running("middle", top)
	leaf := d.running("leaf", middle)
	waits := d.accepted("waits", "", top)
	c := d.fail(leaf, "no disk")
	for _, uid := range []model.UID{leaf, middle, top} {
		d.wantState(uid, model.Failed)
		st := d.task(uid).Status
		if st.IsPaused || st.CurrentRun != "" || st.AssignedAgentUID != "" || len(st.SubtaskUIDs) > 0 {
			t.Errorf("%q keeps flags: %+v", d.task(uid).Config.Name, st)
		}
	}
	if got := d.task(top).Status.ErrorDetails; !strings.Contains(got, `"middle" failed`) || !strings.Contains(got, "no disk") {
		t.Errorf("error details %q", got)
	}
	d.wantSummary(c, `Failed "leaf"`, `"middle" fails with it`, `"top" fails with it`, "A person is asked")
	d.wantPending("dep-failed:" + string(leaf))
	if q := d.escalation("dep-failed:" + string(leaf)); !strings.Contains(q.Title, "1 task waits") ||
		!strings.Contains(q.Detail, `Failed with it: "middle" and "top"`) {
		t.Errorf("it asks %q, %q", q.Title, q.Detail)
	}
	if got := d.status(waits); got != "blocked" {
		t.Errorf("status %q", got)
	}
	r := d.refused(model.Op{Name: model.Start, UID: waits}, model.GuardDependencies, model.CodeRefused)
	if !strings.Contains(r.Hint, `"top" failed`) {
		t.Errorf("hint %q", r.Hint)
	}
	run, _ := d.w.File("tasks/" + string(leaf) + "/persistent/runs/" + "run-op-000012/run.json")
	for _, part := range []string{`"outcome": "failed"`, `"started_at"`, `"ended_at"`, `"worker": "agent:claude"`} {
		if !strings.Contains(string(run), part) {
			t.Errorf("run.json lacks %s: %s", part, run)
		}
	}
}

func TestHeldParent(t *testing.T) {
	d := newDesk(t)
	p := model.DefaultPolicy()
	p.OnSubtaskFailure = model.SubtaskFailureHold
	d.w.SetPolicy(p)
	parent := d.running("parent", "")
	child := d.running("child", parent)
	d.fail(child, "no disk")
	d.wantState(parent, model.Working)
	st := d.task(parent).Status
	if !st.IsPaused || st.PauseReason != "hitl: subtask child failed" || len(st.SubtaskUIDs) > 0 {
		t.Errorf("the parent: %+v", st)
	}
	d.wantPending("subtask-failed:" + string(child))
	d.refused(model.Op{Name: model.Resume, UID: parent, Actor: agent}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.Resume, UID: parent})
	d.wantPending()
	d.complete(parent, "")
}

func TestAbortTakesOpenDescendants(t *testing.T) {
	d := newDesk(t)
	top := d.running("top", "")
	parent := d.running("parent", top)
	a := d.running("a", parent)
	b := d.create("b", a)
	finished := d.completed("finished", parent)
	op := model.Op{Name: model.Abort, UID: parent, Actor: ann, Reason: "changed our mind"}
	preview, err := lifecycle.Apply(d.w.Snapshot(), op)
	if err != nil {
		t.Fatal(err)
	}
	d.wantSummary(preview, `Aborted "parent" and its 2 subtasks "a" and "b"`, `"top" resumes`)
	c := d.do(op)
	if c.Summary != preview.Summary || len(c.Tasks) != len(preview.Tasks) || c.Tasks[0].UID != parent {
		t.Errorf("preview %q, report %q", preview.Summary, c.Summary)
	}
	for _, uid := range []model.UID{parent, a, b} {
		d.wantState(uid, model.Aborted)
	}
	d.wantState(finished, model.Completed)
	d.wantPause(top, "")
	if st := d.task(top).Status; len(st.SubtaskUIDs) > 0 || st.Progress != "0/0" {
		t.Errorf("top: %+v", st)
	}
	d.refused(model.Op{Name: model.Abort, UID: top, Actor: agent, Reason: "r"}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.Abort, UID: top, Actor: vespe, Reason: "r"})
}

func TestReopenedChildStopsItsParent(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	child := d.completed("child", parent)
	d.wantPause(parent, "")
	before := d.task(parent).Clone()
	c := d.do(model.Op{Name: model.ReviewRejected, UID: child, Reason: "not enough"})
	d.wantSummary(c, `"parent" waits for it again`)
	d.wantPause(parent, "subtasks")
	if st := d.task(parent).Status; !slices.Equal(st.SubtaskUIDs, []model.UID{child}) || st.Progress != "0/1" {
		t.Errorf("parent: %+v", st)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: child})
	d.wantState(child, model.Completed)
	sameButRevision(t, before, d.task(parent))

	d.do(model.Op{Name: model.SetFields, UID: child, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: "more"}}}})
	c = d.do(model.Op{Name: model.Replan, UID: child, Reason: "criteria"})
	d.wantSummary(c, `"parent" waits for it again`)
	d.wantPause(parent, "subtasks")
}

func TestResumeGoesOnWaitingForSubtasks(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	d.do(model.Op{Name: model.Pause, UID: parent, Reason: "lunch"})
	child := d.running("child", parent)
	d.wantPause(parent, "other")
	c := d.do(model.Op{Name: model.Resume, UID: parent})
	d.wantSummary(c, `It still waits for "child"`)
	d.wantPause(parent, "subtasks")
	d.do(model.Op{Name: model.RaiseError, UID: parent, Args: model.ErrorReport{Details: "odd"}})
	if st := d.task(parent).Status; !st.IsPaused || st.CurrentRun != "" || st.PreviousState != model.Working {
		t.Errorf("an error keeps the pause and closes the run: %+v", st)
	}
	d.complete(child, "")
	d.wantState(parent, model.Errored)
	d.wantPause(parent, "")
	d.do(model.Op{Name: model.Retry, UID: parent})
	d.wantState(parent, model.Working)
}

// A resumed task waits for its open question before its subtasks: work must not begin without the answer.
func TestResumeWaitsForAQuestionBeforeSubtasks(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	d.do(model.Op{Name: model.Pause, UID: parent, Reason: "lunch"})
	question := d.asks(parent, model.NewRequest{})
	child := d.running("child", parent)
	c := d.do(model.Op{Name: model.Resume, UID: parent})
	d.wantSummary(c, "It still waits for a person")
	d.wantPause(parent, "hitl")
	d.complete(child, "")
	d.wantPause(parent, "hitl")
	d.do(answer(question, model.Answering{Decision: model.DecideRespond, Text: "80"}))
	d.wantPause(parent, "")
	d.wantState(parent, model.Working)
}

func TestSpawnedChildFailsAParentInError(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	child := d.running("child", parent)
	d.do(model.Op{Name: model.RaiseError, UID: parent, Args: model.ErrorReport{Details: "odd"}})
	d.fail(child, "worse")
	d.wantState(parent, model.Failed)

	idle := d.planned("idle", "")
	early := d.running("early", idle)
	d.fail(early, "bad")
	d.wantState(idle, model.PlanDefined) // it was not waiting for anything
}

func TestRetryUntilFailure(t *testing.T) {
	d := newDesk(t)
	uid := d.running("parse", "")
	for n := 1; n <= 3; n++ {
		d.do(model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: "oops"}})
		if st := d.task(uid).Status; st.PreviousState != model.Working || st.ErrorDetails != "oops" || st.CurrentRun != "" {
			t.Errorf("error %d: %+v", n, st)
		}
		c := d.do(model.Op{Name: model.Retry, UID: uid})
		if n < 3 {
			d.wantState(uid, model.Working)
			if got := d.status(uid); got != "ready" {
				t.Errorf("status %q", got)
			}
			d.do(model.Op{Name: model.Start, UID: uid})
			continue
		}
		d.wantSummary(c, "Attempt 3 of 3 was the last", "A person is asked")
	}
	d.wantState(uid, model.Failed)
	if st := d.task(uid).Status; st.RetryCount != 3 || st.ErrorDetails != "oops" {
		t.Errorf("%+v", st)
	}
	d.wantPending("attempts:" + string(uid))

	own := d.running("own limit", "")
	d.do(model.Op{Name: model.SetFields, UID: own, Args: model.FieldEdit{Set: []model.Assignment{{Key: "max_attempts", Value: "1"}}}})
	d.do(model.Op{Name: model.RaiseError, UID: own, Args: model.ErrorReport{Details: "oops"}})
	d.do(model.Op{Name: model.Retry, UID: own})
	d.wantState(own, model.Failed)
}

func TestRetryGoesAsFarAsTheFilesSupport(t *testing.T) {
	oops := func(d *desk, uid model.UID) {
		d.Helper()
		d.do(model.Op{Name: model.RaiseError, UID: uid, Args: model.ErrorReport{Details: "oops"}})
	}
	for _, tt := range []struct {
		name string
		make func(d *desk) model.UID
		want model.State
	}{
		{"nothing", func(d *desk) model.UID { return fixtures[0].make(d) }, model.Created},
		{"objective", func(d *desk) model.UID { return d.create("x", "") }, model.ObjectiveDefined},
		{"plan", func(d *desk) model.UID { return d.planned("x", "") }, model.PlanDefined},
		{"accepted", func(d *desk) model.UID { return d.accepted("x", "") }, model.Working},
		{"blocked", func(d *desk) model.UID { return d.accepted("x", "", d.create("y", "")) }, model.PlanDefined},
		{"rejected", func(d *desk) model.UID {
			uid := d.planned("x", "")
			d.do(model.Op{Name: model.RejectPlan, UID: uid, Reason: "no"})
			return uid
		}, model.ObjectiveDefined},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			uid := tt.make(d)
			had := d.task(uid).Status.AcceptedPlan != nil
			oops(d, uid)
			d.do(model.Op{Name: model.Retry, UID: uid})
			d.wantState(uid, tt.want)
			if got := d.task(uid).Status.AcceptedPlan != nil; got != had {
				t.Errorf("accepted %v, was %v", got, had)
			}
		})
	}
	t.Run("edited since", func(t *testing.T) {
		d := newDesk(t)
		uid := d.accepted("x", "")
		oops(d, uid)
		d.w.Edit(uid, model.Plan, "another\n")
		d.do(model.Op{Name: model.Retry, UID: uid})
		d.wantState(uid, model.PlanDefined)
		if d.task(uid).Status.AcceptedPlan != nil {
			t.Error("the acceptance outlived its bytes")
		}
	})
}

func TestEscalationsOfFailedDependencies(t *testing.T) {
	d := newDesk(t)
	first := d.running("first", "")
	second := d.planned("second", "", first)
	third := d.planned("third", "", first)
	key := "dep-failed:" + string(first)
	d.fail(first, "gone")
	d.wantPending(key)
	if r := d.w.Requests()[0]; r.Kind != "escalation" || r.TaskUID != first || r.CreatedBy != vespe ||
		!strings.Contains(r.Title, "2 tasks wait") || !strings.Contains(r.Detail, `"second" and "third"`) {
		t.Errorf("request %+v", r)
	}
	d.create("fourth", "", first) // one more waits: the question is the same
	d.wantPending(key)
	d.abort(second)
	d.wantPending(key)
	d.do(model.Op{Name: model.RemoveDependency, UID: third, Args: model.DependencyEdit{DependsOn: []model.UID{first}}})
	d.wantPending(key)
	fourth := d.w.Tasks()[3].UID
	d.do(model.Op{Name: model.RemoveDependency, UID: fourth, Args: model.DependencyEdit{DependsOn: []model.UID{first}}})
	d.wantPending()
	if r := d.w.Requests()[0]; r.State != model.RequestSuperseded {
		t.Errorf("request %+v", r)
	}
	d.do(model.Op{Name: model.AddDependency, UID: third, Args: model.DependencyEdit{DependsOn: []model.UID{first}}})
	d.wantPending(key)
	if n := len(d.w.Requests()); n != 2 {
		t.Errorf("%d requests, want the old one and a new one", n)
	}
}

func TestAbortedDependencyAndPolicy(t *testing.T) {
	for _, policy := range []string{model.DependencyCompleted, model.DependencyCompletedOrAborted} {
		d := newDesk(t)
		p := model.DefaultPolicy()
		p.DependencyPolicy = policy
		d.w.SetPolicy(p)
		first := d.running("first", "")
		second := d.accepted("second", "", first)
		c := d.abort(first)
		if policy == model.DependencyCompleted {
			d.wantSummary(c, "1 dependent stays blocked")
			d.wantPending("dep-failed:" + string(first))
			d.refused(model.Op{Name: model.Start, UID: second}, model.GuardDependencies, model.CodeRefused)
			continue
		}
		d.wantPending()
		if strings.Contains(c.Summary, "blocked") {
			t.Errorf("summary %q, and nobody is blocked", c.Summary)
		}
		d.do(model.Op{Name: model.Start, UID: second})
	}
	d := newDesk(t)
	parent := d.planned("parent", "")
	a := d.create("a", parent)
	d.create("b", parent, a)
	d.abort(parent)
	d.wantPending() // whoever would wait was aborted with it
}

func TestPhases(t *testing.T) {
	d := newDesk(t)
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "big", Phases: true}})
	d.wantSummary(c, `Created "big". It has three phases`)
	big := c.Tasks[0].UID
	var phase [3]model.UID
	for i, task := range c.Tasks[1:] {
		phase[i] = task.UID
		if task.Config.ParentUID != big || task.Phase() == "" || task.Config.Name != task.Phase() {
			t.Errorf("phase %d: %+v, %q", i, task.Config, task.Phase())
		}
		if i > 0 && !slices.Equal(task.DependsOn, []model.UID{phase[i-1]}) {
			t.Errorf("phase %d depends on %v", i, task.DependsOn)
		}
	}
	run := func(uid model.UID) {
		t.Helper()
		d.do(model.Op{Name: model.DefinePlan, UID: uid, Args: model.NewPlan{Text: "as always\n"}})
		d.do(model.Op{Name: model.AcceptPlan, UID: uid})
		d.do(model.Op{Name: model.Start, UID: uid, Actor: agent})
	}
	run(phase[0])
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: phase[0], Actor: agent}, model.GuardPhase, model.CodeInvalid)
	if !strings.Contains(r.Why, `define the objective of "big"`) {
		t.Errorf("why: %s", r.Why)
	}
	if err := lifecycle.Allowed(d.w, model.Op{Name: model.WorkCompleted, UID: phase[0], Actor: agent}); err != nil {
		t.Errorf("a trial needs no text: %v", err)
	}
	c = d.complete(phase[0], "rule the world")
	d.wantSummary(c, `The objective of "big" is defined`)
	d.wantState(big, model.ObjectiveDefined)
	if got, _ := d.w.Content(big, model.Objective); string(got.Body) != "rule the world" {
		t.Errorf("objective %q", got.Body)
	}
	run(phase[1])
	d.w.PutResult(phase[1], "plan.md", "1. rule\n")
	preview, err := lifecycle.Apply(d.w.Snapshot(), model.Op{Name: model.WorkCompleted, UID: phase[1], Actor: agent})
	if err != nil {
		t.Fatalf("preview: %v", err)
	}
	d.wantSummary(preview, `The plan of "big" is defined`)
	c = d.complete(phase[1], "see the file")
	if got, _ := d.w.Content(big, model.Plan); string(got.Body) != "1. rule\n" {
		t.Errorf("plan %q", got.Body)
	}
	if e := c.Events[1]; e.Name != model.DefinePlan || e.UID != big || e.Cause != phase[1] || e.Actor != agent {
		t.Errorf("event %+v", e)
	}
	d.do(model.Op{Name: model.AcceptPlan, UID: big})
	d.do(model.Op{Name: model.Start, UID: phase[2], Actor: agent})
	sub := d.w.NewUID() // by hand, so that the parent does not wait for it yet
	d.w.Put(&model.Task{
		UID: sub, Config: model.Config{UID: sub, Name: "sub", ParentUID: big},
		Status: model.StatusFile{CurrentState: model.Created, Revision: 1}, HasStatus: true,
	})
	c = d.complete(phase[2], "made one")
	d.wantSummary(c, `"big" waits for 1 subtask`)
	if st := d.task(big).Status; !slices.Equal(st.SubtaskUIDs, []model.UID{sub}) || st.PauseReason != "subtasks" || st.Progress != "3/4" {
		t.Errorf("big: %+v", st)
	}
}

func TestPhaseIsRefusedWithItsParent(t *testing.T) {
	d := newDesk(t)
	c := d.do(model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "big", Phases: true, Objective: "known\n"}})
	big, first := c.Tasks[0].UID, c.Tasks[1].UID
	d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "p\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: first})
	d.do(model.Op{Name: model.DefinePlan, UID: big, Args: model.NewPlan{Text: "planned meanwhile\n"}})
	r := d.refused(model.Op{Name: model.WorkCompleted, UID: first, Args: model.Completion{Summary: "late"}}, model.GuardPhase, model.CodeRefused)
	if !strings.Contains(r.Why, "its status is Plan review") || !strings.Contains(r.Hint, "reject the plan") {
		t.Errorf("why %q, hint %q", r.Why, r.Hint)
	}
}

func TestSummaryBecomesAResultWhereThereIsNone(t *testing.T) {
	d := newDesk(t)
	alone := d.completed("alone", "")
	if b, _ := d.w.ResultFile(alone, "summary.md"); string(b) != "did alone\n" {
		t.Errorf("summary.md is %q", b)
	}
	d.do(model.Op{Name: model.ReviewRejected, UID: alone, Reason: "again"})
	d.do(model.Op{Name: model.DefinePlan, UID: alone, Args: model.NewPlan{Text: "p2\n"}})
	d.do(model.Op{Name: model.AcceptPlan, UID: alone})
	d.complete(alone, "did it right")
	if b, _ := d.w.ResultFile(alone, "summary.md"); string(b) != "did it right\n" {
		t.Errorf("summary.md is %q", b)
	}
	with := d.running("with files", "")
	d.w.PutResult(with, "a.txt", "a")
	c := d.complete(with, "see a.txt")
	if _, err := d.w.ResultFile(with, "summary.md"); err == nil {
		t.Error("a summary was added to a worker's own files")
	}
	if got, _ := model.Extra(c.Events[0].Details).Text("summary"); got != "see a.txt" {
		t.Errorf("the event has the summary %q", got)
	}
}

func TestOnlyWhatHappenedToASubtaskIsHandled(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	child := d.running("child", parent)
	for _, success := range []bool{true, false} {
		d.refused(model.Op{
			Name: model.HandleSubtaskCompletion, UID: parent, Args: model.SubtaskEnd{Subtask: child, Success: success}, Actor: vespe,
		}, model.GuardAwaits, model.CodeRefused)
	}
	d.wantPause(parent, "subtasks")
}

func TestAHeldParentIsStillAskedWhatItWas(t *testing.T) {
	d := newDesk(t)
	p := model.DefaultPolicy()
	p.OnSubtaskFailure = model.SubtaskFailureHold
	d.w.SetPolicy(p)
	parent := d.running("parent", "")
	d.do(model.Op{Name: model.Pause, UID: parent, Reason: "hitl: may it cost 100?"})
	one, two := d.running("one", parent), d.running("two", parent)
	d.fail(one, "no")
	d.fail(two, "no")
	want := "hitl: may it cost 100?; subtask one failed; subtask two failed"
	if got := d.task(parent).Status.PauseReason; got != want {
		t.Errorf("pause reason %q, want %q", got, want)
	}
	d.refused(model.Op{Name: model.Resume, UID: parent, Actor: agent}, model.GuardActor, model.CodeDenied)
	d.do(model.Op{Name: model.Resume, UID: parent})
	d.wantPause(parent, "")
	d.wantPending()
}
