package snapshot

import (
	"vespe/model"
)

// mayBeAccepted reports that a task whose own word this is can be changed by other terms, or is
// because of them.
func mayBeAccepted(s model.Status) bool {
	switch s {
	case model.StatusChanged, model.StatusWaiting, model.StatusPaused, model.StatusSubtasks, model.StatusReviewWork, model.StatusRunning, model.StatusReady:
		return true
	}
	return false
}

// held is the word for a task whose own is s: unmet says that a dependency of it is not
// met or that it may not begin below what it is part of, cyclic that it is in a cycle, which blocks it
// whatever it is about to do.
//
// `blocked` takes precedence over `running`, so a live run does not hide that a
// dependency has come undone under it.
func held(s model.Status, unmet, cyclic bool) model.Status {
	switch s {
	case model.StatusReady, model.StatusRunning:
		if unmet || cyclic {
			return model.StatusBlocked
		}
	case model.StatusReplan, model.StatusPlanning, model.StatusCreated:
		if cyclic {
			return model.StatusBlocked
		}
	}
	return s
}

// Worst is the worst status that c counts, in the order of WorstFirst; StatusCreated
// when it counts nothing.
func (c *Counts) Worst() model.Status {
	for _, st := range worstOrder {
		if c[st] > 0 {
			return st
		}
	}
	return model.StatusCreated
}

// Sum is how many tasks c counts.
func (c *Counts) Sum() int {
	n := 0
	for _, k := range c {
		n += int(k)
	}
	return n
}

func (c *Counts) add(d *Counts) {
	for i, k := range d {
		c[i] += k
	}
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

// Met reports whether a dependency on task i holds nothing back.
func (s *Snapshot) Met(i int) bool { return s.facts[i]&isMet != 0 }

// UnderWay is how many tasks c counts that somebody began and nobody has judged yet: running, kept
// from running, or waiting for the review of the work.
func (c *Counts) UnderWay() int {
	return int(c[model.StatusRunning] + c[model.StatusSubtasks] + c[model.StatusWaiting] + c[model.StatusPaused] + c[model.StatusError] + c[model.StatusReviewWork])
}

// worstOrder is the order of badness behind Worst, which is not the order of precedence:
// what is broken comes first, then what waits for a person, then what is stuck, then
// what goes its way. `subtasks` says nothing that the children do not say better, and
// done and aborted are not bad at all, so these are told only when nothing else is
// there.
var worstOrder = [model.NumStatuses]model.Status{
	model.StatusProblem, model.StatusFailed, model.StatusError, model.StatusChanged,
	model.StatusWaiting, model.StatusReviewPlan, model.StatusReviewWork,
	model.StatusBlocked, model.StatusPaused, model.StatusReplan,
	model.StatusRunning, model.StatusReady, model.StatusPlanning, model.StatusCreated, model.StatusSubtasks,
	model.StatusDone, model.StatusAborted,
}

// WorstFirst lists every status in the order of badness that Worst uses, as a fresh
// slice.
func WorstFirst() []model.Status {
	return append([]model.Status(nil), worstOrder[:]...)
}

// shutAbove is the nearest task above task i that failed, so that i cannot be
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
