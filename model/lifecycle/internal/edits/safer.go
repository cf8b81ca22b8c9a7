package edits

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/strictness"
)

// checkSafer lets only a person make a task less strict.
func checkSafer(s *machine.Step, sp *model.Spec) *model.Refusal {
	if s.Op.Actor.Kind() == model.Human || sp == nil {
		return nil
	}
	what := strictness.LessStrict(s.Task, sp, s.Policy.Attempts())
	if what == "" {
		return nil
	}
	return s.Refuse(model.CodeDenied, model.GuardSafer, "only a person can "+what, "leave it as it is, or ask a person")
}

// safer is the spec of a task that is made, as strict as what it is made from, which is nil for a task by itself: an
// agent that names a low risk does not count.
func safer(s *machine.Step, whole *model.Task, sp *model.Spec) *model.Spec {
	if s.Op.Actor.Kind() == model.Human || sp == nil {
		return sp
	}
	least := model.RiskMedium
	if whole != nil {
		least = model.RiskOf(whole)
	}
	if sp.Risk == "" || model.RiskRank(sp.Risk) < 0 || model.RiskRank(sp.Risk) >= model.RiskRank(least) {
		return sp
	}
	s.Warnings = append(s.Warnings, fmt.Sprintf("only a person can set a risk below %s, so its risk is %s", least, least))
	sp = sp.Clone()
	if sp.Risk = least; whole == nil || model.RiskSaid(whole) == "" {
		sp.Risk = "" // which counts as medium
	}
	return sp
}
