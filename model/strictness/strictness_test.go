package strictness

import (
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
