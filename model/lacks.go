package model

import (
	"slices"
)

// shortfall says why an approval does not count for the person who reads the store.
type shortfall struct {
	code      Code
	why, hint string
}

// attestedShort asks how far to believe the approval of a task, with the keys and the wishes of today; nil where it
// is enough.
func attestedShort(t *Task, a Approval, by Attestor) *shortfall {
	is := by.Attest(a)
	if is.False {
		return &shortfall{CodeConflict, "the signature of its approval is invalid: " + is.Why, "ask a person to accept it again"}
	}
	return levelShort(t, by, is)
}

// levelShort is nil where a level is enough for the risk of a task.
func levelShort(t *Task, by Attestor, is Attested) *shortfall {
	risk := RiskSaid(t)
	need, err := by.Required(risk)
	switch {
	case err != nil:
		return &shortfall{CodeRefused, "can't tell which approvals count: " + err.Error(), "fix [approvals] in your config.toml"}
	case is.Level >= need:
		return nil
	}
	why := "its approval is only " + is.Level.String() + ", but " + riskyTask(risk) + " needs a " + need.String() + " one"
	if is.Why != "" {
		why += ": " + is.Why
	}
	return &shortfall{CodeDenied, why, "accept it with a key that is in your allowed signers ([approvals] in your config.toml)"}
}

// Asks reports that a person may ask more of the approval of some task than a claim. What cannot be known is asked.
func Asks(by Attestor) bool {
	return by != nil && slices.ContainsFunc([]string{"", RiskLow, RiskMedium, RiskHigh}, func(risk string) bool {
		need, err := by.Required(risk)
		return err != nil || need > LevelClaimed
	})
}

// Lacks says what the acceptance of a task lacks for the person, where the person asks more for it than a claim; ""
// for nothing. approval is the file that the acceptance names; nil where there is none, or it cannot be read. It is
// the rule by which a task starts.
func Lacks(storeID string, t *Task, approval []byte, by Attestor) string {
	p := t.Status.AcceptedPlan
	if p == nil || by == nil {
		return ""
	}
	need, err := by.Required(RiskSaid(t))
	if err == nil && need <= LevelClaimed {
		return ""
	}
	if approval == nil {
		return "its approval is missing or unreadable"
	}
	if p.ApprovalHash != "" && p.ApprovalHash != HashBytes(approval) {
		return "its approval is not the one that was given"
	}
	a, err := DecodeApproval(approval)
	if err != nil {
		return "its approval cannot be read: " + err.Error()
	}
	if why := differs(&a, storeID, t); why != "" {
		return "its approval " + why
	}
	if short := attestedShort(t, a, by); short != nil {
		return short.why
	}
	return ""
}

// lacks says what the acceptance of the task lacks, where it is nobody's work yet: then it is accepted again.
func (s *step) lacks() string {
	t := s.task
	if t.Status.AcceptedPlan == nil || t.Status.CurrentState == Working && t.Status.CurrentRun != "" {
		return ""
	}
	if w, ok := s.w.(Approvals); ok && w.HasBytes() {
		by := w.Attestor()
		if by == nil {
			return ""
		}
		body, _, r := s.approval(t)
		if r != nil {
			return ""
		}
		return Lacks(s.w.StoreID(), t, body, by)
	}
	if w, ok := s.w.(interface{ Lacks(*Task) string }); ok {
		return w.Lacks(t)
	}
	return ""
}
