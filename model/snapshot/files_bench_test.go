package snapshot

import (
	"fmt"
	"testing"

	"vespe/model"
)

// meetingIn is a packed store of n tasks, each of which names four files of a pool in which a few tasks meet.
// With linked each depends on one of the twenty before it.
func meetingIn(b *testing.B, n int, linked bool) *Snapshot {
	tasks := make([]*model.Task, n)
	for i := range tasks {
		uid := model.UID(fmt.Sprintf("tsk-%032x", i))
		file := func(k int) string { return fmt.Sprintf("internal/part%03d/file%05d.go", (i*7+k)%400, (i*5+k)%(2*n)) }
		tasks[i] = &model.Task{
			UID: uid, Config: model.Config{UID: uid, Name: fmt.Sprintf("Task %d of many", i)}, HasStatus: true,
			Status: model.StatusFile{CurrentState: model.PlanDefined, Revision: 3},
			Spec:   &model.Spec{Description: "what it is about, in a sentence or two", FilesToCreate: []string{file(0), file(1)}, FilesToModify: []string{file(2), file(3)}},
		}
	}
	for i := 1; i < n && linked; i++ {
		tasks[i].DependsOn = []model.UID{tasks[i-1-i*13%min(i, 20)].UID}
	}
	packed, err := Unpack(New(Input{Tasks: tasks}).Pack())
	if err != nil {
		b.Fatal(err)
	}
	return packed
}

// What files say about one task, and about all. The baseline is to decode every task once.
func BenchmarkFileOverlaps(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		for name, linked := range map[string]bool{"": false, " linked": true} {
			s := meetingIn(b, n, linked)
			baseline := perRun(b, func() {
				for i := range int32(n) {
					s.tasks.peek(i)
				}
			})
			b.Run(fmt.Sprintf("of one of %d%s", n, name), func(b *testing.B) {
				for b.Loop() {
					s.FileOverlapsOf(n / 2)
				}
				reportRatio(b, baseline)
			})
			b.Run(fmt.Sprintf("of all %d%s", n, name), func(b *testing.B) {
				for b.Loop() {
					s.FileOverlaps()
				}
				reportRatio(b, baseline)
			})
		}
	}
}
