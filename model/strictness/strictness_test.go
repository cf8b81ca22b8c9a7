package model

import "testing"

// An edit past vespe gives a task no more attempts, whether it raises their number or takes it away.
func TestAnEditGivesNoMoreAttempts(t *testing.T) {
	policy := Policy{MaxAttempts: 5}
	task := func(sp *Spec) *Task { return &Task{UID: "a", Spec: sp, Status: StatusFile{}} }
	was := task(&Spec{MaxAttempts: 1})
	for name, now := range map[string]*Task{"raised": task(&Spec{MaxAttempts: 9}), "removed": task(&Spec{}), "without a spec": task(nil)} {
		got := WithLowered(was, now)
		if n := AttemptsOf(got, policy); n != 1 {
			t.Errorf("%s: it may take %d attempts", name, n)
		}
		if len(LoweredWords(got)) != 1 {
			t.Errorf("%s: the person is told %q", name, LoweredWords(got))
		}
	}
	if got := WithLowered(task(&Spec{}), task(&Spec{})); len(LoweredWords(got)) > 0 || AttemptsOf(got, policy) != 5 {
		t.Errorf("without a number: %q, %d attempts", LoweredWords(got), AttemptsOf(got, policy))
	}
}
