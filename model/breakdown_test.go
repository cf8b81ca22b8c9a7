package model_test

import (
	"strings"
	"testing"

	"vespe/model"
)

// breaking is three tasks of the accepted plan of a task: the second and the third wait for the first.
func (d *desk) breaking(uid model.UID) *model.Breaking {
	d.Helper()
	part := func(id, key, name string, after ...int) model.PlannedTask {
		return model.PlannedTask{
			UID: model.UID("tsk-" + id), Key: key, Name: name, Objective: name + "\n", Plan: "do " + name + "\n", After: after, Milestone: "Core",
			Spec: &model.Spec{Risk: "high", Labels: []string{"db"}, FilesToCreate: []string{key + ".go"}},
		}
	}
	return &model.Breaking{Plan: d.task(uid).Status.AcceptedPlan.PlanHash, Parts: []model.PlannedTask{
		part("p2", "T2", "second", 2), part("p3", "T3", "third", 2), part("p1", "T1", "first"),
	}}
}

func (d *desk) breakOp(uid model.UID) model.Op {
	return model.Op{Name: model.BreakDown, UID: uid, Actor: ann, Breakdown: d.breaking(uid)}
}

func TestBreakDown(t *testing.T) {
	d := newDesk(t)
	before := d.create("before", "")
	uid := d.accepted("ledger", "", before)
	after := d.create("after", "", uid)
	d.do(model.Op{Name: model.SetFields, UID: uid, Set: []model.Assignment{{Key: "labels", Value: "core"}, {Key: "priority", Value: "low"}}})
	c := d.do(d.breakOp(uid))
	d.wantSummary(c, `break down "ledger" into 3 subtasks: their plans wait for review; new milestone "Core"`)
	for _, p := range []model.UID{"tsk-p1", "tsk-p2", "tsk-p3"} {
		d.wantState(p, model.PlanDefined)
		if d.task(p).Status.AcceptedPlan != nil {
			t.Errorf("%s is accepted, and nobody decided", p)
		}
	}
	d.wantDeps("tsk-p1", before)
	d.wantDeps("tsk-p2", "tsk-p1")
	d.wantDeps("tsk-p3", "tsk-p1")
	d.wantDeps(after, uid)
	sp := d.task("tsk-p2").Spec
	if sp.Risk != "high" || sp.Priority != model.Low || strings.Join(sp.Labels, " ") != "db core" || sp.FilesToCreate[0] != "T2.go" {
		t.Errorf("%+v", sp)
	}
	if plan, key, ok := d.task("tsk-p2").PlannedBy(); !ok || key != "T2" || plan != d.task(uid).Status.AcceptedPlan.PlanHash {
		t.Errorf("planned by %q %q", plan, key)
	}
	if ms := c.Milestones; ms == nil || len(ms.List) != 1 || len(ms.List[0].TaskIDs) != 3 {
		t.Errorf("milestones %+v", ms)
	}
	// The same is not made twice; after it was taken back it is.
	again := d.breakOp(uid)
	for i := range again.Breakdown.Parts {
		again.Breakdown.Parts[i].UID += "-again"
	}
	d.refused(again, model.GuardBreakdown, model.CodeConflict)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantState("tsk-p1", model.Aborted)
	if d.task(uid).Status.AcceptedPlan == nil {
		t.Error("the acceptance was taken back instead")
	}
	d.do(again)
	d.wantState("tsk-p1-again", model.PlanDefined)
}

// A working task waits for what its plan was broken into, and goes on when all of that is completed.
func TestBreakDownOfAWorkingTask(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("ledger", "")
	d.wantState(uid, model.Working)
	d.do(d.breakOp(uid))
	d.wantPause(uid, "subtasks")
	for _, p := range []model.UID{"tsk-p1", "tsk-p2", "tsk-p3"} {
		d.do(model.Op{Name: model.AcceptPlan, UID: p, Actor: ann})
		d.do(model.Op{Name: model.Start, UID: p, Actor: ann})
		d.complete(p, "done")
	}
	d.wantPause(uid, "")
	d.wantState(uid, model.Working)
}

func TestBreakDownRefused(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("ledger", "")
	open := d.planned("open", "")
	with := func(change func(*model.Op)) model.Op {
		op := d.breakOp(uid)
		change(&op)
		return op
	}
	tests := []struct {
		name string
		op   model.Op
		g    model.Guard
		code model.Code
	}{
		{"an agent", with(func(op *model.Op) { op.Actor = "agent:x" }), model.GuardActor, model.CodeDenied},
		{"a plan that is not accepted", with(func(op *model.Op) { op.UID = open }), model.GuardBreakdown, model.CodeRefused},
		{"another plan", with(func(op *model.Op) { op.Breakdown.Plan = "sha256-0" }), model.GuardBreakdown, model.CodeConflict},
		{"nothing", with(func(op *model.Op) { op.Breakdown.Parts = nil }), model.GuardBreakdown, model.CodeRefused},
		{"nothing given", with(func(op *model.Op) { op.Breakdown = nil }), model.GuardBreakdown, model.CodeInvalid},
		{"one key twice", with(func(op *model.Op) { op.Breakdown.Parts[1].Key = "t2" }), model.GuardBreakdown, model.CodeInvalid},
		{"a cycle", with(func(op *model.Op) { op.Breakdown.Parts[2].After = []int{0} }), model.GuardAcyclic, model.CodeRefused},
		{"itself", with(func(op *model.Op) { op.Breakdown.Parts[2].After = []int{2} }), model.GuardDependency, model.CodeInvalid},
		{"no such task", with(func(op *model.Op) { op.Breakdown.Parts[2].DependsOn = []model.UID{"tsk-no"} }), model.GuardDependency, model.CodeNotFound},
		{"no plan", with(func(op *model.Op) { op.Breakdown.Parts[2].Plan = " \n" }), model.GuardText, model.CodeInvalid},
		{"no name", with(func(op *model.Op) { op.Breakdown.Parts[2].Name = "" }), model.GuardName, model.CodeInvalid},
		{"one uid twice", with(func(op *model.Op) { op.Breakdown.Parts[2].UID = "tsk-p2" }), model.GuardUID, model.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(*testing.T) { d.refused(tt.op, tt.g, tt.code) })
	}
	d.do(model.Op{Name: model.SetFields, UID: uid, Set: []model.Assignment{{Key: "acceptance_criteria", Value: "another"}}})
	d.refused(d.breakOp(uid), model.GuardBreakdown, model.CodeRefused)
}
