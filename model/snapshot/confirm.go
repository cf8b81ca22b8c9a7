package snapshot

import "vespe/model"

// OneAtATime says why the acceptance of a task from elsewhere isn't confirmed together with others; "" where it may be.
func OneAtATime(t *model.Task) string {
	switch risk := model.RiskSaid(t); risk {
	case "", model.RiskLow:
		return ""
	default:
		return "it has " + risk + " risk: read it, then confirm it alone, by its UID"
	}
}

// Unconfirmed are the tasks whose acceptance was given elsewhere, by index.
func Unconfirmed(s *Snapshot) []int32 {
	var out []int32
	for i := range s.status {
		if s.isElsewhere(int32(i)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// ToConfirm are those of Unconfirmed that a person may confirm together, and those that are confirmed one at a time.
func (s *Snapshot) ToConfirm() (together, alone []model.UID) {
	for _, i := range Unconfirmed(s) {
		if t := s.tasks.task(i); OneAtATime(t) == "" {
			together = append(together, t.UID)
		} else {
			alone = append(alone, t.UID)
		}
	}
	return together, alone
}
