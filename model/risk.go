package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The risks, and the word for a task of which none asks for a person.
const (
	RiskLow    = "low"
	RiskMedium = "medium"
	RiskHigh   = "high"
	RiskNever  = "never"
)

// RiskRank orders risks; -1 for a word that is none.
func RiskRank(risk string) int { return slices.Index([]string{RiskLow, RiskMedium, RiskHigh}, risk) }

// RiskSaid is the risk that a task names; "" for none. What nobody understands is not harmless: it is high.
func RiskSaid(t *Task) string {
	said := riskSaid(t.Spec)
	if was := t.loweredRisk(); was != "" && RiskRank(was) > RiskRank(cmp.Or(said, RiskMedium)) {
		return was // until a person acts
	}
	return said
}

func riskSaid(sp *Spec) string {
	switch {
	case sp == nil:
		return ""
	case sp.Risk == "" && IsSpoilt(sp, "risk"), sp.Risk != "" && RiskRank(sp.Risk) < 0:
		return RiskHigh
	}
	return sp.Risk
}

// IsSpoilt reports a key whose value could not be read, or one that somebody may have meant for it.
func IsSpoilt(s *Spec, key string) bool {
	return slices.ContainsFunc(s.Extra, func(f ExtraField) bool { return nearKey(f.Key, key) })
}

// RiskOf is the risk of a task that counts: one that nobody named is medium.
func RiskOf(t *Task) string { return cmp.Or(RiskSaid(t), RiskMedium) }

// loweredRisk is the risk that counts in place of a lower one; "" for none.
func (t *Task) loweredRisk() (risk string) {
	for _, entry := range t.Status.Lowered {
		if key, value, _ := strings.Cut(entry, ": "); key == "risk" && RiskRank(value) > RiskRank(risk) {
			risk = value
		}
	}
	return risk
}

// loweredAttempts is how many attempts a task keeps although more were set; most is how many one has that names no number.
func (t *Task) loweredAttempts(set, most int) int {
	for _, entry := range t.Status.Lowered {
		if key, value, _ := strings.Cut(entry, ": "); key == "max_attempts" {
			if was, err := strconv.Atoi(value); err == nil {
				set = min(set, cmp.Or(was, most))
			}
		}
	}
	return set
}
