package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"vespe/model"
	"vespe/model/graph"
)

var benchSizes = []int{100, 10_000, 100_000}

// benchTasks is a project of n tasks as agents leave them: trees of uneven depth, two or
// three dependencies a task, most of them on a neighbor, one in twelve far away, and
// every state of the lifecycle. The same n gives the same tasks.
func benchTasks(n int) []*model.Task {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	born := time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
	words := []string{"parser", "login", "schema", "retry", "index", "export", "layout", "cache"}
	prios := []model.Priority{"", model.Critical, model.High, model.Medium, model.Low}
	tasks := make([]*model.Task, n)
	for i := range tasks {
		t := &model.Task{
			UID:          model.UID(fmt.Sprintf("tsk-%012x%020x", 0x019500000000+i, rng.Uint64())),
			HasStatus:    true,
			HasObjective: true,
			HasPlan:      true,
		}
		t.Config.UID = t.UID
		t.Config.Name = fmt.Sprintf("%s %s %d", words[rng.IntN(len(words))], words[rng.IntN(len(words))], i)
		t.Config.CreatedBy = "agent:claude"
		t.Config.CreatedAt = born.Add(time.Duration(i) * time.Minute)
		if i > 0 && rng.IntN(20) > 0 {
			t.Config.ParentUID = tasks[max(0, i-1-rng.IntN(60))/8].UID
		}
		t.Spec = &model.Spec{
			Priority: prios[rng.IntN(len(prios))], Description: "make the " + t.Config.Name + " work",
			Labels: []string{words[i%len(words)]},
		}
		for range rng.IntN(5) {
			if i == 0 {
				break
			}
			d := i - 1 - rng.IntN(min(i, 40))
			if rng.IntN(12) == 0 {
				d = rng.IntN(i)
			}
			t.DependsOn = append(t.DependsOn, tasks[d].UID)
		}
		benchStatus(t, rng, float64(i)/float64(n))
		tasks[i] = t
	}
	return tasks
}

// benchStatus gives t a state: the older half of a project is mostly done.
func benchStatus(t *model.Task, rng *rand.Rand, age float64) {
	st := &t.Status
	st.Revision = 1 + rng.IntN(5)
	st.LastUpdatedAt = t.Config.CreatedAt.Add(time.Hour)
	if rng.Float64() > age*1.4 {
		st.CurrentState = model.Completed
		st.Review = &model.Review{Of: "work", Verdict: "accepted"}
		return
	}
	switch rng.IntN(9) {
	case 0:
		st.CurrentState = model.Created
		t.HasPlan, t.HasObjective = false, false
	case 1:
		st.CurrentState = model.ObjectiveDefined
		t.HasPlan = false
	case 2:
		st.CurrentState = model.Completed
	case 3:
		st.CurrentState = model.Errored
	case 4, 5:
		st.CurrentState = model.Working
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
		if rng.IntN(2) == 0 {
			st.CurrentRun = "run-1"
		}
	case 6:
		st.CurrentState = model.PlanDefined
	default:
		st.CurrentState = model.PlanDefined
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
	}
}

// edgesOf is a snapshot's graph before anything was made of its edges.
func edgesOf(s *Snapshot) *dependencyGraph {
	return &dependencyGraph{Graph: graph.Graph{Out: s.graph.Out, Selves: s.graph.Selves}, missing: s.graph.missing}
}

var benchSink int

// passOver is the baseline of the graph benchmarks: one look at every edge.
func passOver(g *dependencyGraph) int {
	sum := 0
	for i := range int32(len(g.missing)) {
		for _, d := range g.Out.Of(i) {
			sum += int(d)
		}
	}
	return sum
}

// perRun times f on its own, to compare with what the benchmark measures.
func perRun(b *testing.B, f func()) float64 {
	b.Helper()
	f()
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return float64(max(best, 1))
}

// reportRatio says how many times longer the benchmark took than the baseline.
func reportRatio(b *testing.B, baseline float64) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/baseline, "×baseline")
}

// BenchmarkGraph is what the budget is about: order, components and
// readiness of every task, against one pass over the same edges.
func BenchmarkGraph(b *testing.B) {
	for _, n := range benchSizes {
		tasks := benchTasks(n)
		s := New(Input{Tasks: tasks})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := perRun(b, func() { benchSink += passOver(s.graph) })
			b.ReportAllocs()
			for b.Loop() {
				g := edgesOf(s)
				g.Finish()
				benchSink += len(g.Components())
				fresh := &Snapshot{tasks: s.tasks, graph: g, tree: s.tree}
				fresh.readStatuses(tasks)
				fresh.derive()
				benchSink += len(fresh.status)
			}
			reportRatio(b, base)
		})
	}
}

// BenchmarkNewSnapshot builds everything, against one look at each task.
func BenchmarkNewSnapshot(b *testing.B) {
	for _, n := range benchSizes {
		tasks := benchTasks(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := perRun(b, func() {
				for _, t := range tasks {
					benchSink += len(t.Config.ParentUID) + len(t.DependsOn) + len(t.Status.CurrentState)
				}
			})
			b.ReportAllocs()
			for b.Loop() {
				benchSink += New(Input{Tasks: tasks}).Len()
			}
			reportRatio(b, base)
		})
	}
}

// BenchmarkWith applies one transition, against building the snapshot anew.
func BenchmarkWith(b *testing.B) {
	for _, n := range benchSizes {
		tasks := benchTasks(n)
		s := New(Input{Tasks: tasks})
		after := *tasks[n/2]
		after.Status.Revision++
		after.Status.CurrentState = model.Errored
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			base := perRun(b, func() { benchSink += New(Input{Tasks: tasks}).Len() })
			b.ReportAllocs()
			for b.Loop() {
				benchSink += s.With(2, "", []*model.Task{&after}, nil).Len()
			}
			reportRatio(b, base)
		})
	}
}

// BenchmarkUnpack opens a pack, against a copy of its bytes.
func BenchmarkUnpack(b *testing.B) {
	for _, n := range benchSizes {
		pack := New(Input{Tasks: benchTasks(n)}).Pack()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			room := make([]byte, len(pack))
			base := perRun(b, func() { benchSink += copy(room, pack) })
			b.ReportAllocs()
			for b.Loop() {
				s, err := Unpack(pack)
				if err != nil {
					b.Fatal(err)
				}
				benchSink += s.Len()
			}
			reportRatio(b, base)
			b.ReportMetric(float64(len(pack))/float64(n), "B/task")
		})
	}
}
