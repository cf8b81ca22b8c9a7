// Package board is a store as the columns of a board.
package board

import (
	"slices"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// order are the statuses as the columns of a board: the way of a task that goes well, with
// what keeps it from going on between the work and its review.
var order = [model.NumStatuses]model.Status{
	model.StatusCreated, model.StatusPlanning, model.StatusReplan, model.StatusReviewPlan, model.StatusBlocked, model.StatusReady, model.StatusRunning,
	model.StatusSubtasks, model.StatusWaiting, model.StatusPaused, model.StatusChanged, model.StatusError, model.StatusProblem,
	model.StatusReviewWork, model.StatusDone, model.StatusFailed, model.StatusAborted,
}

// Order lists every status in the order of a board's columns, as a fresh slice.
func Order() []model.Status { return slices.Clone(order[:]) }

// Column is a column of the board: what its tasks wait for.
type Column uint8

// The columns, from left to right.
const (
	ToPlan Column = iota
	NeedsYou
	ToStart
	InProgress
	Ended
	NumColumns
)

// Label is the name of a column.
func (c Column) Label() string {
	return [NumColumns]string{"To plan", "Needs you", "Ready", "In progress", "Ended"}[c]
}

// Statuses are those of a column in the order of their cards, as a fresh slice.
func (c Column) Statuses() []model.Status {
	return [NumColumns][]model.Status{
		ToPlan:     {model.StatusReplan, model.StatusPlanning, model.StatusCreated},
		NeedsYou:   {model.StatusWaiting, model.StatusReviewPlan, model.StatusReviewWork, model.StatusChanged, model.StatusError, model.StatusProblem},
		ToStart:    {model.StatusReady, model.StatusBlocked},
		InProgress: {model.StatusRunning, model.StatusSubtasks, model.StatusPaused},
		Ended:      {model.StatusDone, model.StatusFailed, model.StatusAborted},
	}[c]
}

// ColumnOf is the one that a status is in.
func ColumnOf(s model.Status) Column {
	for c := range NumColumns {
		if slices.Contains(c.Statuses(), s) {
			return c
		}
	}
	return NeedsYou
}

// Of are the tasks of each status that pass a test, all of them with nil: the ready ones in the
// order of Next, what has ended with the newest first, all others by age.
func Of(s *snapshot.Snapshot, test func(s *snapshot.Snapshot, i int) bool) [model.NumStatuses][]int32 {
	var out [model.NumStatuses][]int32
	for i := range s.Len() {
		if st := s.Status(i); test == nil || test(s, i) {
			out[st] = append(out[st], int32(i))
		}
	}
	for _, st := range []model.Status{model.StatusDone, model.StatusFailed, model.StatusAborted} {
		slices.Reverse(out[st])
	}
	if len(out[model.StatusReady]) > 1 {
		out[model.StatusReady] = nextFirst(s, out[model.StatusReady])
	}
	return out
}

// nextFirst puts tasks, which are in the order of their indices, into that of Next; those that it
// leaves out come last.
func nextFirst(s *snapshot.Snapshot, ready []int32) []int32 {
	out := make([]int32, 0, len(ready))
	in := func(i int32) bool { _, ok := slices.BinarySearch(ready, i); return ok }
	taken := make(map[int32]bool, len(ready))
	for _, i := range schedule.Next(s, -1) {
		if in(i) {
			out, taken[i] = append(out, i), true
		}
	}
	for _, i := range ready {
		if !taken[i] {
			out = append(out, i)
		}
	}
	return out
}
