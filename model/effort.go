package model

import (
	"math"
	"slices"
)

// plannedSeconds is how long the work on t should take as its files and its complexity tell
// (DESIGN §8), in seconds; never less than a minute.
func (t *Task) plannedSeconds() uint32 {
	return uint32(clampSeconds(60 * t.plannedMinutes()))
}

// takenSeconds is what runs of t took: all of them together once it is completed, and one of
// them on average while it is not. 0 where nothing is known of any.
func (t *Task) takenSeconds() uint32 {
	st := &t.Status
	switch {
	case st.Runs <= 0 || st.RunSeconds <= 0:
		return 0
	case st.CurrentState == Completed:
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
		if planned, taken := s.tasks.times(int32(i)); taken > 0 {
			ratios = append(ratios, float64(taken)/float64(planned))
		}
	}
	if len(ratios) < fewestRuns {
		return 1, len(ratios)
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2, n
}

// plannedMinutes is half a minute a file, and a minute at least.
func (t *Task) plannedMinutes() float64 {
	if t.Spec == nil {
		return 1
	}
	return max(1, 0.5*float64(len(t.Spec.FilesToCreate)+len(t.Spec.FilesToModify)))
}
