package lifecycle_test

import (
	"reflect"
	"strings"
	"testing"

	"vespe/model"
)

// sameButRevision compares two versions of a task in everything but the revision of
// status.json and the right to undo.
func sameButRevision(t testing.TB, want, got *model.Task) {
	t.Helper()
	if err := differ(want, got); err != "" {
		t.Error(err)
	}
}

func differ(want, got *model.Task) string {
	a, b := want.Clone(), got.Clone()
	a.Status.Undo, b.Status.Undo = nil, nil
	a.Status.Revision, b.Status.Revision = 0, 0
	if x, y := model.EncodeStatus(a.Status), model.EncodeStatus(b.Status); string(x) != string(y) {
		return "status.json differs\nwant " + string(x) + "\ngot " + string(y)
	}
	a.Status, b.Status = model.StatusFile{}, model.StatusFile{}
	if !reflect.DeepEqual(a, b) {
		return "the tasks differ beside status.json"
	}
	return ""
}

func TestUndoOfEveryVerdict(t *testing.T) {
	changed := func(d *desk) model.UID { return fixtures[len(fixtures)-1].make(d) }
	for _, tt := range []struct {
		op   model.Op
		make func(d *desk) model.UID
	}{
		{model.Op{Name: model.AcceptPlan}, func(d *desk) model.UID { return d.planned("x", "", d.completed("dep", "")) }},
		{model.Op{Name: model.AcceptPlan}, func(d *desk) model.UID { return d.planned("x", "", d.create("dep", "")) }},
		{model.Op{Name: model.RejectPlan}, func(d *desk) model.UID { return d.planned("x", "") }},
		{model.Op{Name: model.RejectPlan}, func(d *desk) model.UID { return d.accepted("x", "", d.create("dep", "")) }},
		{model.Op{Name: model.ReviewAccepted}, func(d *desk) model.UID { return d.completed("x", "") }},
		{model.Op{Name: model.ReviewRejected}, func(d *desk) model.UID { return d.completed("x", d.running("parent", "")) }},
		{model.Op{Name: model.Revalidate}, changed},
		{model.Op{Name: model.Replan}, changed},
		{model.Op{Name: model.Replan}, func(d *desk) model.UID { return d.running("x", d.running("parent", "")) }},
		{model.Op{Name: model.Replan}, func(d *desk) model.UID { return d.planned("x", "") }},
	} {
		t.Run(string(tt.op.Name), func(t *testing.T) {
			d := newDesk(t)
			op := tt.op
			op.UID, op.Reason = tt.make(d), "because"
			before := d.image()
			verdict := d.do(op)
			if u := d.task(op.UID).Status.Undo; u == nil || u.Transition != op.Name || u.By != ann || u.Tasks[0].UID != op.UID {
				t.Fatalf("undo %+v", u)
			}
			c := d.do(model.Op{Name: model.UndoVerdict, UID: op.UID, Actor: "human:bob"})
			d.wantSummary(c, "Undid the ", "human:ann")
			after := d.image()
			for i := range before {
				sameButRevision(t, before[i], after[i])
			}
			for _, task := range verdict.Tasks {
				if now := d.task(task.UID); now.Status.Revision <= task.Status.Revision {
					t.Errorf("revision %d after %d", now.Status.Revision, task.Status.Revision)
				}
			}
			e := c.Events[0]
			if got, _ := model.Extra(e.Details).Text("transition"); e.Name != model.UndoVerdict || got != string(op.Name) || e.Actor != "human:bob" {
				t.Errorf("event %+v", e)
			}
			d.refused(model.Op{Name: model.UndoVerdict, UID: op.UID}, model.GuardUndo, model.CodeRefused)
			d.do(op) // the same verdict can be given again; its approval has another name
		})
	}
}

func TestUndoIsRefusedOnceConsumed(t *testing.T) {
	for name, tt := range map[string]struct {
		make func(d *desk) model.UID
		why  string
	}{
		"started": {func(d *desk) model.UID { return d.running("x", "") }, "agent:claude has started on it"},
		"done":    {func(d *desk) model.UID { return d.completed("x", "") }, "the work has been done since"},
		"changed by a dependency": {func(d *desk) model.UID {
			first := d.planned("first", "")
			uid := d.accepted("x", "", first)
			d.do(model.Op{Name: model.DefinePlan, UID: first, Args: model.NewPlan{Text: "other\n"}})
			return uid
		}, "changed since"},
		"parent moved on": {func(d *desk) model.UID {
			parent := d.running("parent", "")
			uid := d.completed("x", parent)
			d.do(model.Op{Name: model.ReviewRejected, UID: uid, Reason: "no"})
			d.do(model.Op{Name: model.RaiseError, UID: parent, Args: model.ErrorReport{Details: "odd"}})
			return uid
		}, `"parent"`},
		"an agent's replan is no verdict": {func(d *desk) model.UID {
			uid := d.running("x", "")
			d.do(model.Op{Name: model.Replan, UID: uid, Actor: agent, Reason: "stuck"})
			return uid
		}, ""},
		"nobody decided": {func(d *desk) model.UID { return d.planned("x", "") }, "no verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			r := d.refused(model.Op{Name: model.UndoVerdict, UID: tt.make(d)}, model.GuardUndo, model.CodeRefused)
			if !strings.Contains(r.Why, tt.why) {
				t.Errorf("why: %s", r.Why)
			}
		})
	}
}

func TestBookkeepingDoesNotConsumeAVerdict(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	a, b := d.completed("a", parent), d.running("b", parent)
	d.do(model.Op{Name: model.ReviewRejected, UID: a, Reason: "no"})
	// b's end is bookkeeping for the parent's progress, but it also takes b out of
	// subtask_uids: that is a move, and a's verdict is consumed by it.
	d.complete(b, "")
	d.refused(model.Op{Name: model.UndoVerdict, UID: a}, model.GuardUndo, model.CodeRefused)

	idle := d.planned("idle", "")
	c := d.completed("c", idle)
	d.do(model.Op{Name: model.AcceptPlan, UID: idle})
	d.do(model.Op{Name: model.ReviewRejected, UID: c, Reason: "no"})
	if got := d.task(idle).Status.Undo; got != nil {
		t.Errorf("the parent waits for a child again, its acceptance can still be undone: %+v", got)
	}
	planned := d.planned("planned", "")
	e := d.completed("e", planned)
	d.do(model.Op{Name: model.AcceptPlan, UID: planned, Actor: ann})
	f := d.w.NewUID()
	d.w.Put(&model.Task{
		UID: f, Config: model.Config{UID: f, Name: "f", ParentUID: planned}, HasObjective: true, HasPlan: true, HasStatus: true,
		Status: model.StatusFile{CurrentState: model.Working, Revision: 1},
	})
	d.do(model.Op{Name: model.RenameTask, UID: planned, Args: model.NewName{Name: "renamed"}})
	d.do(model.Op{Name: model.SetFields, UID: planned, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "high"}}}})
	d.complete(f, "by hand")
	d.wantState(planned, model.Working)
	if got := d.task(planned).Status.Progress; got != "2/2" {
		t.Errorf("progress %q", got)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: planned})
	d.wantState(planned, model.PlanDefined)
	d.wantState(e, model.Completed)
}

func TestProgressIsCarriedThroughAnUndo(t *testing.T) {
	d := newDesk(t)
	parent := d.running("parent", "")
	a := d.completed("a", parent)
	b := d.w.NewUID() // a child that the parent does not wait for
	d.w.Put(&model.Task{
		UID: b, Config: model.Config{UID: b, Name: "b", ParentUID: parent}, HasStatus: true,
		Status: model.StatusFile{CurrentState: model.Working, Revision: 1},
	})
	d.do(model.Op{Name: model.ReviewRejected, UID: a, Reason: "no"})
	d.complete(b, "")
	if got := d.task(parent).Status.Progress; got != "1/2" {
		t.Errorf("progress %q, want 1/2", got)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: a})
	if st := d.task(parent).Status; st.Progress != "2/2" || st.IsPaused || len(st.SubtaskUIDs) > 0 {
		t.Errorf("parent: %+v", st)
	}
}

// TestRecordedResultsAreCarriedThroughAnUndo: what a dependency left since the verdict is
// still what the task goes by afterwards, so that a later change of it is seen.
func TestRecordedResultsAreCarriedThroughAnUndo(t *testing.T) {
	d := newDesk(t)
	first, second := d.running("first", ""), d.planned("second", "")
	uid := d.accepted("x", "", first, second)
	d.do(model.Op{Name: model.DefinePlan, UID: second, Args: model.NewPlan{Text: "another plan\n"}})
	d.do(model.Op{Name: model.Revalidate, UID: uid})
	before := d.task(uid).Status.ParentContentHashes
	d.w.PutResult(first, "out.txt", "one")
	d.complete(first, "")
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	if got := d.status(uid); got != "changed" {
		t.Errorf("status %q, want changed", got)
	}
	hashes := map[string]string{}
	for _, h := range d.task(uid).Status.ParentContentHashes {
		hashes[h.Key] = h.Hash
	}
	if len(hashes) != len(before)+1 || hashes[string(first)+"_result"] == "" {
		t.Errorf("recorded: %v", hashes)
	}
	if hashes[string(second)+"_plan"] != model.HashBytes([]byte("plan of second\n")) {
		t.Error("the plan that it was accepted with is no longer known")
	}
}

// TestUndoFindsNoChange: what somebody did to a result meanwhile is found by start and
// check; taking a verdict back leaves everything as it was.
func TestUndoFindsNoChange(t *testing.T) {
	d := newDesk(t)
	dep := d.running("dep", "")
	d.w.PutResult(dep, "out.txt", "one")
	d.complete(dep, "")
	uid := d.accepted("x", "", dep)
	before := d.task(uid).Clone()
	d.w.PutResult(dep, "out.txt", "two")
	d.do(model.Op{Name: model.ReviewRejected, UID: dep, Reason: "no"})
	d.do(model.Op{Name: model.UndoVerdict, UID: dep})
	sameButRevision(t, before, d.task(uid))
	d.do(model.Op{Name: model.Check, UID: uid})
	if got := d.status(uid); got != "changed" {
		t.Errorf("status %q, want changed", got)
	}
}

func TestOwnProgressIsCarriedThroughAnUndo(t *testing.T) {
	d := newDesk(t)
	gate := d.planned("gate", "")
	parent := d.planned("parent", "", gate)
	child := d.running("child", parent)
	d.do(model.Op{Name: model.AcceptPlan, UID: parent})
	d.complete(child, "")
	d.do(model.Op{Name: model.UndoVerdict, UID: parent})
	if st := d.task(parent).Status; st.Progress != "1/1" || st.AcceptedPlan != nil || len(st.ParentContentHashes) > 0 {
		t.Errorf("parent: %+v", st)
	}
}

func TestUndoOfReplanReopensTheRun(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("x", "")
	d.do(model.Op{Name: model.Start, UID: uid, Args: model.NewRun{ID: "r1", Worker: agent}})
	d.do(model.Op{Name: model.Replan, UID: uid, Reason: "no"})
	name := "tasks/" + string(uid) + "/persistent/runs/r1/run.json"
	if b, _ := d.w.File(name); !strings.Contains(string(b), `"outcome": "replanned"`) {
		t.Errorf("run.json: %s", b)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: uid})
	if b, _ := d.w.File(name); strings.Contains(string(b), "outcome") || !strings.Contains(string(b), "started_at") {
		t.Errorf("run.json: %s", b)
	}
	if st := d.task(uid).Status; st.CurrentRun != "r1" || d.status(uid) != "running" {
		t.Errorf("%+v", st)
	}
}

// TestUndoCountsTheChildOfAParentThatDidNotMove: of a parent that is not working only the
// progress was rewritten.
func TestUndoCountsTheChildOfAParentThatDidNotMove(t *testing.T) {
	d := newDesk(t)
	parent := d.planned("parent", "")
	child := d.completed("child", parent)
	d.do(model.Op{Name: model.ReviewRejected, UID: child, Reason: "no"})
	if got := d.task(parent).Status.Progress; got != "0/1" {
		t.Errorf("progress %q, want 0/1", got)
	}
	d.do(model.Op{Name: model.UndoVerdict, UID: child})
	if got := d.task(parent).Status.Progress; got != "1/1" {
		t.Errorf("progress %q, want 1/1", got)
	}
}
