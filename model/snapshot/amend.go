package snapshot

import (
	"slices"

	"vespe/model"
)

// Amendment is what With cannot say: what left the store, and what is there beside its
// tasks. Fields that are nil leave things as they are.
type Amendment struct {
	Gone     []model.UID      // tasks that are no more
	Problems *[]model.Problem // all those of the store as a whole
	Requests *[]model.Request // all of them
	Policy   *model.Policy
	// Milestones is milestones.json.
	Milestones *model.Milestones
}

// Amend is the snapshot with an amendment. Tasks that left cost a few passes over flat slices
// and a look at those that depended on them; another policy costs such passes, and a look at every
// accepted task where its terms have changed.
func (s *Snapshot) Amend(a Amendment) *Snapshot {
	copied := *s
	n := &copied
	if a.Problems != nil {
		n.problems = *a.Problems
	}
	if a.Requests != nil {
		n.requests = mergeRequests(nil, *a.Requests)
	}
	if gone := n.tasks.indexes(a.Gone); len(gone) > 0 {
		n = n.without(gone)
	}
	if a.Milestones != nil {
		n.milestoneFile = *a.Milestones
	}
	if a.Policy != nil {
		n.adopt(*a.Policy)
	}
	n.lazyStatus()
	return n
}

// indexes are those of the tasks that are here, ascending.
func (b *book) indexes(uids []model.UID) []int32 {
	var out []int32
	for _, uid := range uids {
		if i, ok := b.lookup(uid); ok {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// adopt makes p the policy of a snapshot that nobody else has seen yet. What it decides of a
// task is whether being aborted is enough for its dependents, and where its terms have changed,
// whether an accepted task is changed.
func (s *Snapshot) adopt(p model.Policy) {
	s.policy = p
	if rules := model.RulesOf(p); rules != s.rules {
		s.rules = rules
		s.own = slices.Clone(s.own)
		for i, own := range s.own {
			if mayBeAccepted(own) || s.lacksAt(int32(i)) {
				s.own[i] = s.ownOf(s.tasks.peek(int32(i)))
			}
		}
	}
	enough := p.Met(&model.Task{Status: model.StatusFile{CurrentState: model.Aborted}})
	s.facts = slices.Clone(s.facts)
	for i, own := range s.own {
		if own != model.StatusAborted {
			continue
		}
		if s.facts[i] &^= isMet; enough {
			s.facts[i] |= isMet
		}
	}
	s.derive()
	s.rollUp()
}

// StoreProblems are the problems of the store as a whole: those that came with it, not
// those of its tasks, tree and graph. Do not modify it.
func (s *Snapshot) StoreProblems() []model.Problem { return slices.Clip(s.problems) }
