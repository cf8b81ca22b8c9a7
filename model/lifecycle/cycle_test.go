package lifecycle

import (
	"errors"
	"fmt"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

// TestLargeCycles: 10,000 tasks that depend on each other in a circle, or are each other's parents
// in one or in a line, are told as that, and everything can be asked of them.
func TestLargeCycles(t *testing.T) {
	const n = 10_000
	uid := func(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%032x", i%n)) }
	world := func(each func(i int, t *model.Task)) *snapshot.Snapshot {
		in := snapshot.Input{Seq: 1}
		for i := range n {
			task := &model.Task{UID: uid(i), HasStatus: true, HasObjective: true, HasPlan: true, Config: model.Config{UID: uid(i), Name: fmt.Sprint("task ", i)}}
			task.Status = model.StatusFile{CurrentState: model.PlanDefined, PlanRevision: 1, ObjectiveRevision: 1, Revision: 1}
			each(i, task)
			in.Tasks = append(in.Tasks, task)
		}
		return snapshot.New(in)
	}

	circle := world(func(i int, t *model.Task) { t.DependsOn = []model.UID{uid(i + 1)} })
	if c := circle.Cycles(); len(c) != 1 || len(c[0]) != n || len(circle.CycleThrough(n/2)) < n {
		t.Errorf("%d cycles", len(c))
	}
	circle = circle.With(2, "", []*model.Task{circle.At(5).Clone()}, nil)
	if _, err := Apply(circle, model.Op{Name: model.Start, UID: uid(3), Actor: "agent:a", Args: model.NewRun{ID: "r"}}); err == nil {
		t.Error("a task in a cycle was started")
	}

	line := world(func(i int, t *model.Task) {
		if i+1 < n {
			t.DependsOn = []model.UID{uid(i + 1)}
		}
	})
	var r *model.Refusal
	if _, err := Apply(line, model.Op{Name: model.AddDependency, UID: uid(n - 1), Actor: "human:ann", Args: model.DependencyEdit{DependsOn: []model.UID{uid(0)}}}); !errors.As(err, &r) || len(r.Cycle) != n+1 {
		t.Errorf("the edge that closes the cycle: %v", err)
	}

	for name, last := range map[string]model.UID{"a line": "", "a circle": uid(0)} {
		family := world(func(i int, t *model.Task) {
			if t.Config.ParentUID = uid(i + 1); i+1 == n {
				t.Config.ParentUID = last
			}
		})
		for i := range n {
			family.Status(i)
		}
		if c, err := Apply(family, model.Op{Name: model.Abort, UID: uid(n - 1), Actor: "human:ann", Reason: "no"}); last == "" && (err != nil || len(c.Tasks) != n) {
			t.Errorf("%s: ending the first ends %v", name, err)
		}
	}
}
