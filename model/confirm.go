package model

// OneAtATime says why the acceptance of a task from elsewhere isn't confirmed together with others; "" where it may be.
func OneAtATime(t *Task) string {
	switch risk := RiskSaid(t); risk {
	case "", RiskLow:
		return ""
	default:
		return "it has " + risk + " risk: read it, then confirm it alone, by its UID"
	}
}

// Unconfirmed are the tasks whose acceptance was given elsewhere, by index.
func (s *Snapshot) Unconfirmed() []int32 {
	var out []int32
	for i := range s.status {
		if s.isElsewhere(int32(i)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// ToConfirm are those of Unconfirmed that a person may confirm together, and those that are confirmed one at a time.
func (s *Snapshot) ToConfirm() (together, alone []UID) {
	for _, i := range s.Unconfirmed() {
		if t := s.tasks.task(i); OneAtATime(t) == "" {
			together = append(together, t.UID)
		} else {
			alone = append(alone, t.UID)
		}
	}
	return together, alone
}
