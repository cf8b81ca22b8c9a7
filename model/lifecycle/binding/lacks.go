package binding

import (
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
)

// shortfall says why an approval does not count for the person who reads the store.
type shortfall struct {
	code      model.Code
	why, hint string
}

// attestedShort asks how far to believe the approval of a task, with the keys and the wishes of today; nil where it
// is enough.
func attestedShort(t *model.Task, a review.Approval, by review.Attestor) *shortfall {
	is := by.Attest(a)
	if is.False {
		return &shortfall{model.CodeConflict, "the signature of its approval is invalid: " + is.Why, "ask a person to accept it again"}
	}
	return levelShort(t, by, is)
}

// levelShort is nil where a level is enough for the risk of a task.
func levelShort(t *model.Task, by review.Attestor, is review.Attested) *shortfall {
	risk := model.RiskSaid(t)
	need, err := by.Required(risk)
	switch {
	case err != nil:
		return &shortfall{model.CodeRefused, "can't tell which approvals count: " + err.Error(), "fix [approvals] in your config.toml"}
	case is.Level >= need:
		return nil
	}
	why := "its approval is only " + is.Level.String() + ", but " + riskyTask(risk) + " needs a " + need.String() + " one"
	if is.Why != "" {
		why += ": " + is.Why
	}
	return &shortfall{model.CodeDenied, why, "accept it with a key that is in your allowed signers ([approvals] in your config.toml)"}
}

// Asks reports that a person may ask more of the approval of some task than a claim. What cannot be known is asked.
func Asks(by review.Attestor) bool {
	return by != nil && slices.ContainsFunc([]string{"", model.RiskLow, model.RiskMedium, model.RiskHigh}, func(risk string) bool {
		need, err := by.Required(risk)
		return err != nil || need > review.LevelClaimed
	})
}

// Lacks says what the acceptance of a task lacks for the person, where the person asks more for it than a claim; ""
// for nothing. approval is the file that the acceptance names; nil where there is none, or it cannot be read. It is
// the rule by which a task starts.
func Lacks(storeID string, t *model.Task, approval []byte, by review.Attestor) string {
	p := t.Status.AcceptedPlan
	if p == nil || by == nil {
		return ""
	}
	need, err := by.Required(model.RiskSaid(t))
	if err == nil && need <= review.LevelClaimed {
		return ""
	}
	if approval == nil {
		return "its approval is missing or unreadable"
	}
	if p.ApprovalHash != "" && p.ApprovalHash != model.HashBytes(approval) {
		return "its approval is not the one that was given"
	}
	a, err := review.DecodeApproval(approval)
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

// Lacking says what the acceptance of the task lacks, where it is nobody's work yet: then it is accepted again.
func Lacking(s *machine.Step) string {
	t := s.Task
	if t.Status.AcceptedPlan == nil || t.Status.CurrentState == model.Working && t.Status.CurrentRun != "" {
		return ""
	}
	if by := attestor(s.Tx); by != nil {
		body, _, r := ApprovalOf(s.Tx, t)
		if r != nil {
			return ""
		}
		return Lacks(s.World.StoreID(), t, body, by)
	}
	if w, ok := s.World.(interface{ Lacks(*model.Task) string }); ok {
		return w.Lacks(t)
	}
	return ""
}
