package snapshot

import (
	"math"
	"sync"

	"vespe/model"
	"vespe/model/complexity"
)

// plannedSeconds is how long the work on t should take as its files and its complexity tell,
// in seconds; never less than a minute. It goes by the limits that a store has by
// default, so that it is a matter of the task alone.
func plannedSeconds(t *model.Task) uint32 {
	if t.Spec == nil || len(t.Spec.FilesToCreate)+len(t.Spec.FilesToModify) < 2 {
		return 60 // at no level more than the minute that is the least
	}
	return uint32(ClampSeconds(60 * t.Complexity(complexity.DefaultLimits()).Minutes))
}

// takenSeconds is what runs of t took: all of them together once it is completed, and one of
// them on average while it is not. 0 where nothing is known of any.
func takenSeconds(t *model.Task) uint32 {
	st := &t.Status
	switch {
	case st.Runs <= 0 || st.RunSeconds <= 0:
		return 0
	case st.CurrentState == model.Completed:
		return uint32(ClampSeconds(float64(st.RunSeconds)))
	}
	return uint32(ClampSeconds(float64(st.RunSeconds) / float64(st.Runs)))
}

// mostSeconds bounds a single estimate: ten years. Sums of them fit into an int64.
const mostSeconds = 10 * 365 * 24 * 3600

// ClampSeconds is a time in whole seconds, at least one and at most ten years.
func ClampSeconds(s float64) int64 {
	switch {
	case !(s >= 1): // NaN too
		return 1
	case s > mostSeconds:
		return mostSeconds
	}
	return int64(math.Ceil(s))
}

// memo remembers what tasks should take that are values of their own: telling takes far longer than
// looking at a task, and schedules are made after each transaction. The zero value remembers nothing.
type memo struct {
	mu      sync.Mutex
	planned map[*model.Task]uint32
}

// memoSlack is by how much a memo may outgrow the tasks that it is about before it is begun anew.
const memoSlack = 1024

// of is plannedSeconds of one of the loose tasks of a book.
func (m *memo) of(t *model.Task, loose int) uint32 {
	m.mu.Lock()
	n, ok := m.planned[t]
	m.mu.Unlock()
	if ok {
		return n
	}
	n = plannedSeconds(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.planned == nil || len(m.planned) > 2*loose+memoSlack {
		m.planned = map[*model.Task]uint32{}
	}
	m.planned[t] = n
	return n
}
