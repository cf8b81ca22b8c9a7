package prompt

import (
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

// A prompt has every field of a spec: a worker is told all that a person is.
func TestAPromptHasEveryFieldOfASpec(t *testing.T) {
	sp := modeltest.FullSpec()
	sp.Context[0].Value = []byte(`"mark-context\u202e"`)
	out := string(Build(Input{Task: &model.Task{UID: "tsk-x", Spec: sp}, Verify: sp.Verify}))
	for key, marks := range modeltest.SpecMarks() {
		for _, mark := range marks {
			if !strings.Contains(out, mark) {
				t.Errorf("%q of %q is not in the prompt:\n%s", mark, key, out)
			}
		}
	}
	if strings.Contains(out, "\u202e") {
		t.Error("a character that turns the text around is in the prompt")
	}
}

// Where more attempts were set than count, a prompt says those that count.
func TestAPromptSaysTheAttemptsThatCount(t *testing.T) {
	out := string(Build(Input{Task: &model.Task{UID: "tsk-x", Spec: &model.Spec{MaxAttempts: 9}}, Attempt: 1, MaxAttempts: 3}))
	if !strings.Contains(out, "attempt 1 of 3") || !strings.Contains(out, "Max attempts: 3") {
		t.Errorf("the prompt:\n%s", out)
	}
}
