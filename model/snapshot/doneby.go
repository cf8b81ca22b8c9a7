package snapshot

import (
	"vespe/model"
)

// DoneByParts reports that the work of a task is that of its subtasks: it was decomposed into them. Once they
// have ended, only a check of all of it together is left.
func DoneByParts(s *Snapshot, uid model.UID) bool {
	t, ok := s.Task(uid)
	if !ok {
		return false
	}
	for _, child := range s.ChildUIDs(uid) {
		c, ok := s.Task(child)
		if !ok || c.Status.CurrentState == model.Aborted {
			continue
		}
		if c.SplitFrom() == uid {
			return true
		}
		if plan, _, ok := c.PlannedBy(); ok && t.Status.AcceptedPlan != nil && plan == t.Status.AcceptedPlan.PlanHash {
			return true
		}
	}
	return false
}
