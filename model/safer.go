package model

import (
	"fmt"
	"slices"
)

// lessStrict says what a spec lowers of what a task asks for before it is believed: its risk, a person's say, the
// attempts after which one is asked, the checks of the work; "" for nothing. A risk that nobody named counts as medium.
// most is how many attempts a task has that names no number.
func lessStrict(was, now *Spec, most int) string {
	before, after := &Task{Spec: was}, &Task{Spec: now}
	if before.Spec == nil {
		before.Spec = new(Spec)
	}
	was = before.Spec
	attempts := func(sp *Spec) int {
		if sp.MaxAttempts > 0 {
			return sp.MaxAttempts
		}
		return most
	}
	switch {
	case riskRank(RiskOf(after)) < riskRank(RiskOf(before)):
		return fmt.Sprintf("lower its risk from %s to %s", RiskOf(before), RiskOf(after))
	case was.RequiresHITL && !now.RequiresHITL:
		return "take back that a person allows its start"
	case attempts(now) > attempts(was):
		return fmt.Sprintf("give it %d attempts in place of %d", attempts(now), attempts(was))
	case slices.ContainsFunc(was.Verify, func(c []string) bool {
		return !slices.ContainsFunc(now.Verify, func(o []string) bool { return slices.Equal(o, c) })
	}):
		return "take away a command that verifies it"
	case slices.ContainsFunc(was.AcceptanceCriteria, func(c Criterion) bool {
		return !slices.ContainsFunc(now.AcceptanceCriteria, func(o Criterion) bool { return o.Text == c.Text })
	}):
		return "take away an acceptance criterion"
	}
	return ""
}

// checkSafer lets only a person make a task less strict.
func (s *step) checkSafer(sp *Spec) *Refusal {
	if s.op.Actor.Kind() == Human || sp == nil {
		return nil
	}
	what := lessStrict(s.task.Spec, sp, s.policy.Attempts())
	if what == "" {
		return nil
	}
	return s.refuse(CodeDenied, GuardSafer, fmt.Sprintf("only a person may %s, and %s is none", what, s.op.Actor), "leave it as it is, or ask a person")
}

// safer is the spec of a task that is made, as strict as what it is made from, which is nil for a task by itself: an
// agent that names a low risk does not count.
func (s *step) safer(whole *Task, sp *Spec) *Spec {
	if s.op.Actor.Kind() == Human || sp == nil {
		return sp
	}
	least := RiskMedium
	if whole != nil {
		least = RiskOf(whole)
	}
	if sp.Risk == "" || riskRank(sp.Risk) < 0 || riskRank(sp.Risk) >= riskRank(least) {
		return sp
	}
	s.warnings = append(s.warnings, fmt.Sprintf("only a person may name a risk lower than %s: it is %s", least, least))
	sp = sp.Clone()
	if sp.Risk = least; whole == nil || RiskSaid(whole) == "" {
		sp.Risk = "" // which counts as medium
	}
	return sp
}
