package merge

import (
	"bytes"
	"testing"

	"vespe/model"
)

// TestWhatStands: of two ends of one run the first one stands, whole, and a task that both moved is in one milestone.
func TestWhatStands(t *testing.T) {
	one, two, open := `{"ended_at":"2026-03-01T09:00:00Z","outcome":"completed"}`, `{"ended_at":"2026-03-01T09:00:01Z","outcome":"error","why":"x"}`, `{"worker":"w"}`
	for _, c := range [][4]string{{open, one, two, one}, {open, two, one, one}, {"{}", two, open, two}, {"{}", open, two, two}} {
		if got, ok := File("tasks/a/persistent/runs/r/run.json", []byte(c[0]), []byte(c[1]), []byte(c[2])); !ok || string(got) != c[3] {
			t.Errorf("%v: %s, %v", c, got, ok)
		}
	}
	stones := func(a, b, c string) []byte {
		return []byte(`{"milestones":[{"id":"a","name":"A","task_ids":[` + a + `]},{"id":"b","name":"B","task_ids":[` + b + `]},{"id":"c","name":"C","task_ids":[` + c + `]}]}`)
	}
	got, ok := File("milestones.json", stones(`"tsk-1"`, "", ""), stones("", `"tsk-1"`, ""), stones("", "", `"tsk-1"`))
	if ms, ps := model.DecodeMilestones("", got); !ok || len(ps) > 0 || bytes.Count(got, []byte("tsk-1")) != 1 || ms.Holder("tsk-1") != 1 {
		t.Errorf("%v %s", ok, got)
	}
}
