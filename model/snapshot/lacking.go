package snapshot

import (
	"maps"
	"slices"

	"vespe/model"
)

// Lacks says what the acceptance of a task lacks (Lacking); "" for nothing.
func (s *Snapshot) Lacks(t *model.Task) string {
	l, found := s.lacks[t.UID]
	if !found || t.Status.AcceptedPlan == nil || l != model.LackOf(t, l.Why) {
		return ""
	}
	return l.Why
}

// Startable are the tasks that were accepted and that nobody is at work on, whether or not what they depend on is
// completed, and with those that lack something.
func (s *Snapshot) Startable() (tasks []int32) {
	for i, own := range s.own {
		if own == model.StatusReady || own == model.StatusReviewPlan && len(s.lacks) > 0 && s.lacksAt(int32(i)) {
			tasks = append(tasks, int32(i))
		}
	}
	return tasks
}

// What a status is called where an acceptance lacks something: in a sentence, as a label, and in a column of statuses.
const lackWord, lackLabel, lackShort = "needs a signature", "Needs a signature", "Unsigned"

// StatusShort is StatusWord for a column of a list, at most ColumnWidth wide.
func (s *Snapshot) StatusShort(i int) string {
	if s.isElsewhere(int32(i)) {
		return lackShort
	}
	switch st := s.Status(i); {
	case st == model.StatusWaiting:
		return "Waiting"
	case st == model.StatusReviewPlan && s.lacksAt(int32(i)):
		return lackShort
	}
	return s.StatusWord(i)
}

// StatusWidth is the length of the longest StatusWord that a task of the snapshot may have.
func StatusWidth(s *Snapshot) int {
	if len(s.lacks) > 0 {
		return len(lackWord)
	}
	return model.LabelWidth
}

// StatusReason says why a task does not have the status that its files alone would give it; "" where it has.
func (s *Snapshot) StatusReason(i int) string {
	if len(s.lacks) == 0 || s.Status(i) != model.StatusReviewPlan {
		return ""
	}
	if why := s.Lacks(s.tasks.peek(int32(i))); why != "" {
		return lackWord + ": " + model.Plain(why)
	}
	return ""
}

func (s *Snapshot) lacksAt(i int32) bool {
	return len(s.lacks) > 0 && s.Lacks(s.tasks.peek(i)) != ""
}

// Lacking is the snapshot for a person for whom the acceptances of some tasks lack something: those tasks wait for
// the review of their plans. It is of this person and today, and goes into no pack.
func (s *Snapshot) Lacking(lacks map[model.UID]model.Lack) *Snapshot {
	if maps.Equal(lacks, s.lacks) {
		return s
	}
	copied := *s
	n := &copied
	n.lacks = lacks
	n.own = slices.Clone(s.own)
	for _, of := range []map[model.UID]model.Lack{s.lacks, lacks} {
		for uid := range of {
			if i, ok := n.tasks.lookup(uid); ok {
				n.own[i] = n.ownOf(n.tasks.peek(i))
			}
		}
	}
	n.derive()
	n.rollUp()
	n.lazyStatus()
	return n
}

// ownOf is ownStatus, for the person.
func (s *Snapshot) ownOf(t *model.Task) model.Status {
	own := model.OwnStatus(t, s.rules)
	if own == model.StatusReady && len(s.lacks) > 0 && s.Lacks(t) != "" {
		return model.StatusReviewPlan
	}
	return own
}
