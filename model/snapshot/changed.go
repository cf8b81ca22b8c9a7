package snapshot

import (
	"slices"

	"vespe/model"
)

// MayBeChanged reports whether check has anything to say of task i: it is accepted and not over for
// good.
func MayBeChanged(s *Snapshot, i int) bool {
	switch s.own[i] {
	case model.StatusDone, model.StatusFailed, model.StatusAborted, model.StatusProblem, model.StatusCreated:
		return false
	}
	return s.tasks.peek(int32(i)).HasStandingAcceptance()
}

// RelyOnResults are up to n tasks, from index at on, that may have been accepted with the result of a
// dependency, and the index to go on with; 0 when all have been gone through.
func RelyOnResults(s *Snapshot, at, n int) (list []int32, next int) {
	for i := max(at, 0); i < s.tasks.n; i++ {
		if len(list) == n {
			return list, i
		}
		if reliesOnResults(s, int32(i)) {
			list = append(list, int32(i))
		}
	}
	return list, 0
}

func reliesOnResults(s *Snapshot, i int32) bool {
	switch s.own[i] {
	case model.StatusDone, model.StatusFailed, model.StatusAborted, model.StatusProblem, model.StatusCreated, model.StatusPlanning, model.StatusReplan:
		return false
	}
	return slices.ContainsFunc(s.graph.Out.Of(i), func(d int32) bool { return s.facts[d]&isCompleted != 0 })
}

// Changes is why a task is changed: changed_because as it reads today. Do not modify it.
func (s *Snapshot) Changes(t *model.Task) []model.ChangeReason { return model.ChangesOf(t, s.rules) }
