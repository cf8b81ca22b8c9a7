package snapshot

import (
	"fmt"
	"runtime"
	"testing"

	"vespe/model"
)

// BenchmarkWithGrows applies transactions that change the tree or the edges of a packed
// snapshot, against one that changes neither.
func BenchmarkWithGrows(b *testing.B) {
	for _, n := range benchSizes {
		tasks := benchTasks(n)
		s := New(Input{Tasks: tasks}).Compact()
		plain := tasks[n/2].Clone()
		plain.Status.Revision++
		last := *plain
		last.UID, last.Config.UID = "tsk-zz", "tsk-zz" // behind all others, as a new uid is
		among := *plain
		among.UID = tasks[n/3].UID + "0"
		among.Config.UID = among.UID
		edge := *plain
		edge.DependsOn = []model.UID{tasks[0].UID}
		ring := *tasks[0]
		ring.DependsOn = []model.UID{tasks[n-1].UID}
		moved := *plain
		moved.Config.ParentUID = ""
		for _, c := range []struct {
			name string
			task *model.Task
		}{{"last", &last}, {"among", &among}, {"edge", &edge}, {"first waits for last", &ring}, {"moved", &moved}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				base := perRun(b, func() { benchSink += s.With(2, "", []*model.Task{plain}, nil).Len() })
				b.ReportAllocs()
				for b.Loop() {
					benchSink += s.With(2, "", []*model.Task{c.task}, nil).Len()
				}
				reportRatio(b, base)
				unit := "ms"
				if n == 100_000 && (c.name == "last" || c.name == "edge") {
					unit = "ms≤3" // what agents do all the time
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, unit)
			})
		}
	}
}

// BenchmarkMemory is what a packed snapshot holds for each task: when it was just opened,
// and after everything in it was looked at.
func BenchmarkMemory(b *testing.B) {
	for _, n := range benchSizes[1:] {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			pack := New(Input{Tasks: benchTasks(n)}).Pack()
			before := heapInUse()
			for b.Loop() {
				s, err := Unpack(pack)
				if err != nil {
					b.Fatal(err)
				}
				opened := heapInUse() - before
				for i := range s.Len() {
					benchSink += len(s.At(i).Config.Name)
				}
				benchSink += len(s.Inbox()) + len(s.components()) + len(s.Problems())
				looked := heapInUse() - before
				perTask := func(heap uint64) float64 { return float64(int64(heap)+int64(len(pack))) / float64(n) }
				b.ReportMetric(perTask(opened), "B/task-opened")
				b.ReportMetric(perTask(looked), "B/task-looked-at")
				runtime.KeepAlive(s)
			}
			runtime.KeepAlive(pack)
		})
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
