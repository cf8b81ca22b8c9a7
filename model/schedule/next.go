package schedule

import (
	"cmp"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Next is up to n tasks that are ready to be started, the one to take first at the front:
// by priority, then by the order of the milestones (in none comes last), then by how
// long the longest chain of open tasks takes that begins with it (Schedule), then by age. All of them for a negative n. Do not modify it.
func Next(s *snapshot.Snapshot, n int) []int32 {
	all := readyOf(s)
	if n < 0 || n > len(all) {
		return all
	}
	return all[:n:n]
}

// ready are the tasks of Next.
type ready []int32

func readyOf(s *snapshot.Snapshot) ready { return snapshot.Kept(s, findReady) }

func findReady(s *snapshot.Snapshot) ready {
	type nextKey struct {
		at, rank, milestone int32
		behind              int64
		born                time.Time
	}
	var tasks []int32
	above := 0 // tasks above these, all together
	for i := range s.Len() {
		if s.Status(i) == model.StatusReady {
			tasks = append(tasks, int32(i))
			above += 1 + s.Depth(i)
		}
	}
	list, milestone := make([]nextKey, 0, len(tasks)), milestoneRanks(s, above > 4*s.Len())
	for k, behind := range behindOf(s, tasks) {
		at := tasks[k]
		list = append(list, nextKey{at, int32(s.Rank(int(at))), milestone(at), behind, s.Born(int(at))})
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
	out := make(ready, len(list))
	for k := range list {
		out[k] = list[k].at
	}
	return out
}

// milestoneRank is the place of the milestone that task i is in; behind them all where it is in none
// that is defined.
func milestoneRank(s *snapshot.Snapshot, i int32) int32 {
	file := s.MilestoneFile()
	if len(file.List) > 0 {
		if k := file.Index(s.MilestoneID(int(i))); k >= 0 {
			return int32(k)
		}
	}
	return int32(len(file.List))
}

// milestoneRanks is milestoneRank for many tasks: found for all at once.
func milestoneRanks(s *snapshot.Snapshot, many bool) func(i int32) int32 {
	n := len(s.MilestoneFile().List)
	return func(i int32) int32 {
		if n == 0 || !many {
			return milestoneRank(s, i)
		}
		if k := s.MilestoneOf(int(i)); k >= 0 && k < n {
			return int32(k)
		}
		return int32(n)
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
