package strictness

import (
	"fmt"
	"testing"

	"vespe/model"
)

// An edit past vespe gives a task no more attempts, whether it raises their number or takes it away.
func TestAnEditGivesNoMoreAttempts(t *testing.T) {
	policy := model.Policy{MaxAttempts: 5}
	task := func(sp *model.Spec) *model.Task { return &model.Task{UID: "a", Spec: sp, Status: model.StatusFile{}} }
	was := task(&model.Spec{MaxAttempts: 1})
	for name, now := range map[string]*model.Task{"raised": task(&model.Spec{MaxAttempts: 9}), "removed": task(&model.Spec{}), "without a spec": task(nil)} {
		got := WithLowered(was, now)
		if n := model.AttemptsOf(got, policy); n != 1 {
			t.Errorf("%s: it may take %d attempts", name, n)
		}
		if len(LoweredWords(got)) != 1 {
			t.Errorf("%s: the person is told %q", name, LoweredWords(got))
		}
	}
	if got := WithLowered(task(&model.Spec{}), task(&model.Spec{})); len(LoweredWords(got)) > 0 || model.AttemptsOf(got, policy) != 5 {
		t.Errorf("without a number: %q, %d attempts", LoweredWords(got), model.AttemptsOf(got, policy))
	}
}

// However much was removed before, what decides about approvals and checks is remembered.
func TestManyLoweredKeysLeaveOutNoneThatDecides(t *testing.T) {
	sp := model.Spec{Risk: model.RiskHigh, RequiresHITL: true, MaxAttempts: 1}
	for i := range 3 * maxLowered {
		sp.AcceptanceCriteria = append(sp.AcceptanceCriteria, model.Criterion{Text: fmt.Sprint(i)})
		sp.FilesToCreate = append(sp.FilesToCreate, fmt.Sprint(i))
	}
	was := &model.Task{UID: "a", Spec: &sp}
	fewer := sp
	fewer.AcceptanceCriteria, fewer.FilesToCreate = nil, nil
	now := WithLowered(was, &model.Task{UID: "a", Spec: &fewer})
	if len(now.Status.Lowered) != maxLowered {
		t.Fatalf("%d are remembered", len(now.Status.Lowered))
	}
	lax := fewer
	lax.Risk, lax.RequiresHITL, lax.MaxAttempts = model.RiskLow, false, 9
	now = WithLowered(now, &model.Task{UID: "a", Spec: &lax, Status: now.Status})
	if model.RiskSaid(now) != model.RiskHigh || model.AttemptsOf(now, model.Policy{}) != 1 || now.Status.Lowered[1] != "requires_hitl: true" {
		t.Errorf("risk %s, %d attempts, %q", model.RiskSaid(now), model.AttemptsOf(now, model.Policy{}), now.Status.Lowered)
	}
}
