package snapshot

import (
	"cmp"
	"slices"
	"time"

	"vespe/model"
)

// Next is up to n tasks that are ready to be started, the one to take first at the front:
// by priority, then by the order of the milestones (in none comes last), then by how
// long the longest chain of open tasks takes that begins with it (Schedule), then by age. All of them for a negative n. Do not modify it.
func (s *Snapshot) Next(n int) []int32 {
	all := s.ready()
	if n < 0 || n > len(all) {
		return all
	}
	return all[:n:n]
}

// Unfinished reports whether work on task i is still to be done; what only waits to be
// reviewed is finished, and holds nothing back.
func (s *Snapshot) Unfinished(i int) bool {
	switch s.status[i] {
	case model.StatusProblem:
		return true // what its files say is not to be trusted
	case model.StatusDone, model.StatusFailed, model.StatusAborted, model.StatusReviewWork:
		return false
	}
	return s.facts[i]&isCompleted == 0 // changed, or paused before its review
}

func (s *Snapshot) findReady() []int32 {
	type nextKey struct {
		at, rank, milestone int32
		behind              int64
		born                time.Time
	}
	var ready []int32
	for i, st := range s.status {
		if st == model.StatusReady {
			ready = append(ready, int32(i))
		}
	}
	list, milestone := make([]nextKey, 0, len(ready)), s.milestoneRanks(s.tree.farUp(ready))
	for k, behind := range s.behindOf(ready) {
		at := ready[k]
		list = append(list, nextKey{at, int32(s.tasks.rank(at)), milestone(at), behind, s.tasks.born(at)})
	}
	slices.SortFunc(list, func(a, b nextKey) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.milestone, b.milestone),
			cmp.Compare(b.behind, a.behind),
			byAge(a.born, b.born),
			cmp.Compare(a.at, b.at),
		)
	})
	out := make([]int32, len(list))
	for k := range list {
		out[k] = list[k].at
	}
	return out
}

// shutAbove is the nearest task above task i that failed or was left out of a plan, so that i cannot be
// started; -1 for none.
func (s *Snapshot) shutAbove(i int32) int32 {
	for p := s.tree.parent[i]; p >= 0; p = s.tree.parent[p] {
		if s.facts[p]&isShut != 0 {
			return p
		}
	}
	return noParent
}

// aboves is shutAbove for many tasks: what is above several of them is looked at once, so that all of a
// deep tree costs no more than its size.
func (s *Snapshot) aboves() func(i int32) int32 {
	const unknown = -2
	var known []int32 // per task: its shutAbove
	return func(i int32) int32 {
		if s.tree.parent[i] < 0 {
			return noParent
		}
		if known == nil {
			known = make([]int32, len(s.tree.parent))
			for k := range known {
				known[k] = unknown
			}
		}
		found, end := noParent, i
		for ; end >= 0 && known[end] == unknown; end = s.tree.parent[end] {
			if p := s.tree.parent[end]; p >= 0 && s.facts[p]&isShut != 0 {
				found = p
				break
			}
		}
		if end >= 0 && known[end] != unknown {
			found = known[end]
		}
		for v := i; v >= 0 && known[v] == unknown; v = s.tree.parent[v] {
			known[v] = found
			if v == end {
				break
			}
		}
		return found
	}
}

// byAge puts the older first and an unknown time last.
func byAge(a, b time.Time) int {
	switch {
	case a.IsZero() && b.IsZero():
		return 0
	case a.IsZero():
		return 1
	case b.IsZero():
		return -1
	}
	return a.Compare(b)
}

// priority is the one in spec.json; "" when nobody set one.
func priority(t *model.Task) model.Priority {
	if t.Spec == nil {
		return ""
	}
	return t.Spec.Priority
}
