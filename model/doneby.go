package model

// DoneByParts reports that the work of a task is that of its subtasks: its accepted plan was broken down into
// them, or it was split. Once they have ended nothing is left to be done but to check all of it together.
func (s *Snapshot) DoneByParts(uid UID) bool {
	t, ok := s.Task(uid)
	if !ok {
		return false
	}
	for _, child := range s.ChildUIDs(uid) {
		c, ok := s.Task(child)
		if !ok || c.Status.CurrentState == Aborted {
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
