package model

// OneAtATime says why the acceptance of a task from elsewhere isn't confirmed together with others; "" where it may be.
func OneAtATime(t *Task) string {
	switch risk := RiskSaid(t); risk {
	case "", RiskLow:
		return ""
	default:
		return "it has " + risk + " risk: confirm it on its own, once you have read it"
	}
}

// ToConfirm are the tasks whose acceptance was given elsewhere, and that a person may confirm together; and those that are
// confirmed one at a time.
func (s *Snapshot) ToConfirm() (together, alone []UID) {
	for i, f := range s.facts {
		if f&isElsewhere == 0 || !s.isElsewhere(int32(i)) {
			continue
		}
		if t := s.tasks.task(int32(i)); OneAtATime(t) == "" {
			together = append(together, t.UID)
		} else {
			alone = append(alone, t.UID)
		}
	}
	return together, alone
}
