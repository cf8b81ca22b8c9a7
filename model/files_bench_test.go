package model_test

import (
	"fmt"
	"testing"

	"vespe/model"
)

// filesOf is a store of n tasks in which each names four files, of a pool in which a few tasks meet.
func filesOf(n int) *model.Snapshot {
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
	return model.NewSnapshot(model.Input{Tasks: tasks})
}

// The baseline is a search through the same tasks.
func BenchmarkFileOverlapsOf(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		packed, err := model.Unpack(filesOf(n).Pack())
		if err != nil {
			b.Fatal(err)
		}
		nothing, err := model.ParseFilter("nowhere")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("baseline of %d", n), func(b *testing.B) {
			for b.Loop() {
				packed.Select(nothing)
			}
		})
		b.Run(fmt.Sprintf("one of %d", n), func(b *testing.B) {
			for b.Loop() {
				packed.FileOverlapsOf(n / 2)
			}
		})
		b.Run(fmt.Sprintf("all of %d", n), func(b *testing.B) {
			for b.Loop() {
				packed.FileOverlaps()
			}
		})
	}
}
