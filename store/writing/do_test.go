package writing

import (
	"fmt"
	"testing"

	"vespe/model"
)

// BenchmarkWithTasks is what one more task costs in a transaction of that many: the same.
func BenchmarkWithTasks(b *testing.B) {
	for _, n := range []int{1000, 30_000} {
		tasks := make([]*model.Task, n)
		for i := range tasks {
			tasks[i] = &model.Task{UID: model.UID(fmt.Sprintf("tsk-%06d", i))}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if got := withTasks([]model.UID{tasks[0].UID}, tasks); len(got) != n {
					b.Fatalf("%d uids of %d tasks", len(got), n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/task")
		})
	}
}
