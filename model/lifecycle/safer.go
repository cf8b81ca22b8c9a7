package lifecycle

import (
	"fmt"

	"vespe/model"
)

// checkSafer lets only a person make a task less strict.
func checkSafer(s *step, sp *model.Spec) *model.Refusal {
	if s.op.Actor.Kind() == model.Human || sp == nil {
		return nil
	}
	what := model.LessStrict(s.task, sp, s.policy.Attempts())
	if what == "" {
		return nil
	}
	return s.refuse(model.CodeDenied, model.GuardSafer, "only a person can "+what, "leave it as it is, or ask a person")
}

// safer is the spec of a task that is made, as strict as what it is made from, which is nil for a task by itself: an
// agent that names a low risk does not count.
func (s *step) safer(whole *model.Task, sp *model.Spec) *model.Spec {
	if s.op.Actor.Kind() == model.Human || sp == nil {
		return sp
	}
	least := model.RiskMedium
	if whole != nil {
		least = model.RiskOf(whole)
	}
	if sp.Risk == "" || model.RiskRank(sp.Risk) < 0 || model.RiskRank(sp.Risk) >= model.RiskRank(least) {
		return sp
	}
	s.warnings = append(s.warnings, fmt.Sprintf("only a person can set a risk below %s, so its risk is %s", least, least))
	sp = sp.Clone()
	if sp.Risk = least; whole == nil || model.RiskSaid(whole) == "" {
		sp.Risk = "" // which counts as medium
	}
	return sp
}
