package lifecycle

import (
	"fmt"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// BenchmarkDeep is what a tree of 100,000 levels takes against one of two.
func BenchmarkDeep(b *testing.B) {
	const n = 100_000
	deep, wide := taskLine(n, false), taskLine(n, true)
	in := [2]*snapshot.Snapshot{snapshot.New(snapshot.Input{Tasks: deep}), snapshot.New(snapshot.Input{Tasks: wide})}
	for _, bm := range []struct {
		name string
		do   func(k int) error
	}{
		{"open", func(k int) error { snapshot.New(snapshot.Input{Tasks: [2][]*model.Task{deep, wide}[k]}); return nil }},
		{"abort", func(k int) error {
			_, err := Apply(in[k], model.Op{Name: model.Abort, UID: deep[0].UID, Actor: "human:ann", Reason: "bench"})
			return err
		}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for k := range took {
					start := time.Now()
					if err := bm.do(k); err != nil {
						b.Fatal(err)
					}
					took[k] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[0])/float64(took[1]), "deep/wide≤3")
			b.ReportMetric(float64(took[0].Milliseconds())/float64(b.N), "ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// taskLine are n tasks with accepted plans, each part of the one before; or of the first, where they are
// wide.
func taskLine(n int, wide bool) []*model.Task {
	var tasks []*model.Task
	for i := range n {
		uid := model.UID(fmt.Sprintf("tsk-%08d", i))
		t := &model.Task{UID: uid, HasStatus: true, HasObjective: true, HasPlan: true, Config: model.Config{UID: uid, Name: fmt.Sprint("task ", i)}}
		t.Status = model.StatusFile{CurrentState: model.PlanDefined, PlanRevision: 1, ObjectiveRevision: 1, Revision: 1, AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1}}
		switch {
		case i > 0 && wide:
			t.Config.ParentUID = tasks[0].UID
		case i > 0:
			t.Config.ParentUID = tasks[i-1].UID
		}
		tasks = append(tasks, t)
	}
	return tasks
}
