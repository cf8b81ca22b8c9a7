package lifecycle_test

import (
	"strings"
	"testing"

	"vespe/model"
)

// listed is three tasks of the accepted plan of a task: the second and the third wait for the first.
func (d *desk) listed(uid model.UID) model.Decomposition {
	d.Helper()
	part := func(id, key, name string, after ...int) model.Subtask {
		return model.Subtask{
			UID: model.UID("tsk-" + id), Key: key, Name: name, Objective: name + "\n", Plan: "do " + name + "\n", After: after, Milestone: "Core",
			Spec: &model.Spec{Risk: "high", Labels: []string{"db"}, FilesToCreate: []string{key + ".go"}},
		}
	}
	return model.Decomposition{Plan: d.task(uid).Status.AcceptedPlan.PlanHash, Subtasks: []model.Subtask{
		part("p2", "T2", "second", 2), part("p3", "T3", "third", 2), part("p1", "T1", "first"),
	}}
}

func (d *desk) planOp(uid model.UID) model.Op {
	return model.Op{Name: model.Decompose, UID: uid, Actor: ann, Args: d.listed(uid)}
}

func TestDecomposeAPlan(t *testing.T) {
	d := newDesk(t)
	before := d.create("before", "")
	uid := d.accepted("ledger", "", before)
	after := d.create("after", "", uid)
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "labels", Value: "core"}, {Key: "priority", Value: "low"}}}})
	c := d.do(d.planOp(uid))
	d.wantSummary(c, `Decomposed "ledger" into 3 subtasks. Their plans wait for review. New milestone "Core"`)
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
	again := d.planOp(uid)
	for i, parts := 0, model.ArgsOf[model.Decomposition](&again).Subtasks; i < len(parts); i++ {
		parts[i].UID += "-again"
	}
	d.refused(again, model.GuardDecompose, model.CodeConflict)
	d.do(model.Op{Name: model.UndoVerdict, UID: uid, Actor: ann})
	d.wantState("tsk-p1", model.Aborted)
	if d.task(uid).Status.AcceptedPlan == nil {
		t.Error("the acceptance was taken back instead")
	}
	d.do(again)
	d.wantState("tsk-p1-again", model.PlanDefined)
}

func TestDecomposeAPlanRefused(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("ledger", "")
	open := d.planned("open", "")
	by := func(change func(*model.Op)) model.Op {
		op := d.planOp(uid)
		change(&op)
		return op
	}
	with := func(change func(*model.Decomposition)) model.Op {
		return by(func(op *model.Op) {
			parts := model.ArgsOf[model.Decomposition](op)
			change(&parts)
			op.Args = parts
		})
	}
	tests := []struct {
		name string
		op   model.Op
		g    model.Guard
		code model.Code
	}{
		{"an agent", by(func(op *model.Op) { op.Actor = "agent:x" }), model.GuardActor, model.CodeDenied},
		{"a plan that is not accepted", by(func(op *model.Op) { op.UID = open }), model.GuardDecompose, model.CodeRefused},
		{"another plan", with(func(p *model.Decomposition) { p.Plan = "sha256-0" }), model.GuardDecompose, model.CodeConflict},
		{"nothing", with(func(p *model.Decomposition) { p.Subtasks = nil }), model.GuardDecompose, model.CodeRefused},
		{"nothing given", by(func(op *model.Op) { op.Args = nil }), model.GuardDecompose, model.CodeInvalid},
		{"one key twice", with(func(p *model.Decomposition) { p.Subtasks[1].Key = "t2" }), model.GuardDecompose, model.CodeInvalid},
		{"a cycle", with(func(p *model.Decomposition) { p.Subtasks[2].After = []int{0} }), model.GuardAcyclic, model.CodeRefused},
		{"itself", with(func(p *model.Decomposition) { p.Subtasks[2].After = []int{2} }), model.GuardDependency, model.CodeInvalid},
		{"no such task", with(func(p *model.Decomposition) { p.Subtasks[2].DependsOn = []model.UID{"tsk-no"} }), model.GuardDependency, model.CodeNotFound},
		{"no plan", with(func(p *model.Decomposition) { p.Subtasks[2].Plan = " \n" }), model.GuardText, model.CodeInvalid},
		{"no name", with(func(p *model.Decomposition) { p.Subtasks[2].Name = "" }), model.GuardName, model.CodeInvalid},
		{"one uid twice", with(func(p *model.Decomposition) { p.Subtasks[2].UID = "tsk-p2" }), model.GuardUID, model.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(*testing.T) { d.refused(tt.op, tt.g, tt.code) })
	}
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "acceptance_criteria", Value: "another"}}}})
	d.refused(d.planOp(uid), model.GuardDecompose, model.CodeRefused)
}

// A working task waits for what its plan was broken into, and goes on when all of that is completed.
func TestDecomposeAPlanOfAWorkingTask(t *testing.T) {
	d := newDesk(t)
	uid := d.accepted("ledger", "")
	d.wantState(uid, model.Working)
	d.do(d.planOp(uid))
	d.wantPause(uid, "subtasks")
	for _, p := range []model.UID{"tsk-p1", "tsk-p2", "tsk-p3"} {
		d.do(model.Op{Name: model.AcceptPlan, UID: p, Actor: ann})
		d.do(model.Op{Name: model.Start, UID: p, Actor: ann})
		d.complete(p, "done")
	}
	d.wantPause(uid, "")
	d.wantState(uid, model.Working)
}
