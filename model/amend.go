package model

import "slices"

// Amendment is what With cannot say: what left the store, and what is there beside its
// tasks. Fields that are nil leave things as they are.
type Amendment struct {
	Gone     []UID      // tasks that are no more
	Problems *[]Problem // all those of the store as a whole
	Requests *[]Request // all of them
	Policy   *Policy
}

// Amend is the snapshot with an amendment. Tasks that left and another policy cost as much
// as building it anew.
func (s *Snapshot) Amend(a Amendment) *Snapshot {
	problems, requests, policy := s.problems, s.requests, s.policy
	if a.Problems != nil {
		problems = *a.Problems
	}
	if a.Requests != nil {
		requests = mergeRequests(nil, *a.Requests)
	}
	if a.Policy != nil {
		policy = *a.Policy
	}
	if len(a.Gone) == 0 && a.Policy == nil {
		n := *s
		n.problems, n.requests = problems, requests
		n.lazyStatus()
		return &n
	}
	gone := make(map[UID]bool, len(a.Gone))
	for _, uid := range a.Gone {
		gone[uid] = true
	}
	tasks := make([]*Task, 0, s.Len())
	for i := range int32(s.Len()) {
		if t := s.tasks.peek(i); !gone[t.UID] {
			tasks = append(tasks, t)
		}
	}
	return NewSnapshot(Input{
		Seq: s.seq, StoreID: s.storeID, Head: s.head,
		Tasks: tasks, Problems: problems, Requests: requests, Policy: policy,
	})
}

// StoreProblems are the problems of the store as a whole: those that came with it, not
// those of its tasks, tree and graph. Do not modify it.
func (s *Snapshot) StoreProblems() []Problem { return slices.Clip(s.problems) }
