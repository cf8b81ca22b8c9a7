package snapshot

import (
	"math"
	"slices"
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
	return uint32(clampSeconds(60 * t.Complexity(complexity.DefaultLimits()).Minutes))
}

// takenSeconds is what runs of t took: all of them together once it is completed, and one of
// them on average while it is not. 0 where nothing is known of any.
func takenSeconds(t *model.Task) uint32 {
	st := &t.Status
	switch {
	case st.Runs <= 0 || st.RunSeconds <= 0:
		return 0
	case st.CurrentState == model.Completed:
		return uint32(clampSeconds(float64(st.RunSeconds)))
	}
	return uint32(clampSeconds(float64(st.RunSeconds) / float64(st.Runs)))
}

// mostSeconds bounds a single estimate: ten years. Sums of them fit into an int64.
const mostSeconds = 10 * 365 * 24 * 3600

func clampSeconds(s float64) int64 {
	switch {
	case !(s >= 1): // NaN too
		return 1
	case s > mostSeconds:
		return mostSeconds
	}
	return int64(math.Ceil(s))
}

// fewestRuns is how many completed tasks must be known with what they took before estimates
// are measured by them.
const fewestRuns = 3

// scale is by how much completed tasks really took longer than their complexity said: the
// median of that ratio, which a run that stood still over night does not move. 1 where too few are
// known. The second is how many are.
func (s *Snapshot) scale() (factor float64, known int) {
	var ratios []float64
	for i, f := range s.facts {
		if f&isCompleted == 0 {
			continue
		}
		if taken := s.tasks.taken(int32(i)); taken > 0 {
			ratios = append(ratios, float64(taken)/float64(s.tasks.planned(int32(i))))
		}
	}
	if len(ratios) < fewestRuns {
		return 1, len(ratios)
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2, n
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
