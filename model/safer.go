package model

import (
	"cmp"
	"fmt"
	"slices"
)

// lessStrict says what a spec lowers of what a task asks for before it is believed: its risk, the approval of its
// start, the attempts after which a person is asked, the checks of the work; "" for nothing. A risk that nobody named
// counts as medium. most is how many attempts a task has that names no number.
func lessStrict(t *Task, now *Spec, most int) string {
	was := t.Spec
	if was == nil {
		was = new(Spec)
	}
	before, after := RiskOf(&Task{Spec: was}), RiskOf(&Task{Spec: now})
	attempts := func(sp *Spec) int { return cmp.Or(max(sp.MaxAttempts, 0), most) }
	makers := []string{Agent, MCPClient}
	switch {
	case riskRank(after) < riskRank(before):
		return fmt.Sprintf("lower its risk from %s to %s", before, after)
	case was.RequiresHITL && !now.RequiresHITL:
		return "drop the approval needed to start it"
	case attempts(now) > attempts(was):
		return fmt.Sprintf("raise its attempts from %d to %d", attempts(was), attempts(now))
	case len(was.Verify) == 0 && len(now.Verify) > 0 && !slices.Contains(makers, t.Config.CreatedBy.Kind()):
		return "set its first verify command, which replaces the test runners that were found"
	}
	for _, l := range lowerableLists {
		left := l.of(now)
		for _, text := range l.of(was) {
			if !slices.Contains(left, text) {
				return fmt.Sprintf("remove its %s %s", l.what, CutText(text, maxLoweredText))
			}
		}
	}
	return ""
}

// checkSafer lets only a person make a task less strict.
func (s *step) checkSafer(sp *Spec) *Refusal {
	if s.op.Actor.Kind() == Human || sp == nil {
		return nil
	}
	what := lessStrict(s.task, sp, s.policy.Attempts())
	if what == "" {
		return nil
	}
	return s.refuse(CodeDenied, GuardSafer, "only a person can "+what, "leave it as it is, or ask a person")
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
	s.warnings = append(s.warnings, fmt.Sprintf("only a person can set a risk below %s, so its risk is %s", least, least))
	sp = sp.Clone()
	if sp.Risk = least; whole == nil || RiskSaid(whole) == "" {
		sp.Risk = "" // which counts as medium
	}
	return sp
}
