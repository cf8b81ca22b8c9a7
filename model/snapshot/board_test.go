package snapshot_test

import (
	"slices"
	"testing"

	"vespe/model"
	"vespe/model/board"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

func TestBoardHasEveryTaskOnce(t *testing.T) {
	if order := board.Order(); len(order) != model.NumStatuses || len(slices.Compact(slices.Sorted(slices.Values(order)))) != model.NumStatuses {
		t.Fatalf("the board has the columns %v", order)
	}
	s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(2000)})
	seen := make([]int, s.Len())
	for st, list := range board.Of(s, nil) {
		for _, i := range list {
			seen[i]++
			if s.Status(int(i)) != model.Status(st) {
				t.Errorf("task %d is %v and in column %v", i, s.Status(int(i)), model.Status(st))
			}
		}
	}
	if i := slices.IndexFunc(seen, func(n int) bool { return n != 1 }); i >= 0 {
		t.Errorf("task %d is on the board %d times", i, seen[i])
	}
	ready := board.Of(s, nil)[model.StatusReady]
	next := slices.DeleteFunc(slices.Clone(schedule.Next(s, -1)), func(i int32) bool { return !slices.Contains(ready, i) })
	if len(next) < 10 || !slices.Equal(ready[:len(next)], next) {
		t.Errorf("what is ready begins with %v, next is %v", ready[:min(9, len(ready))], next[:min(9, len(next))])
	}
	done := board.Of(s, func(_ *snapshot.Snapshot, i int) bool { return i%2 == 0 })[model.StatusDone]
	if len(done) < 10 || !slices.IsSortedFunc(done, func(a, b int32) int { return int(b - a) }) || done[0]%2 != 0 {
		t.Errorf("what is done begins with %v", done[:min(9, len(done))])
	}
}

func BenchmarkBoard(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		s := snapshot.New(snapshot.Input{Tasks: snapshot.BenchTasks(n)})
		b.Run(map[int]string{100: "100", 10_000: "10k"}[n], func(b *testing.B) {
			for b.Loop() {
				board.Of(s, nil)
			}
		})
	}
}
