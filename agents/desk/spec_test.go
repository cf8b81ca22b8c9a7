package desk

import (
	"encoding/json"
	"strings"
	"testing"

	"vespe/internal/modeltest"
	"vespe/model"
)

// task_get has every field of a spec.
func TestATaskHasEveryFieldOfASpec(t *testing.T) {
	f := newFixture(t)
	uid := f.as(ann, model.Op{Name: model.CreateTask, Args: model.NewTask{Name: "a", Objective: "o\n", Spec: modeltest.FullSpec()}}).Change.Tasks[0].UID
	v, err := f.d.Show(f.Context(), string(uid))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for key, marks := range modeltest.SpecMarks() {
		if key == "requires_hitl" {
			marks = []string{`"requires_hitl":true`}
		}
		for _, mark := range marks {
			if !strings.Contains(string(b), mark) {
				t.Errorf("%q of %q is not in it:\n%s", mark, key, b)
			}
		}
	}
}
