package merge

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vespe/model"
)

// TestTwoAnswers: whatever was answered in which clone, both clones come to the same, no denial gives way to an answer that
// did not know it, and no answer is lost.
func TestTwoAnswers(t *testing.T) {
	answers := []model.Answer{
		{Decision: model.DecideAccept},
		{Decision: model.DecideDeny, Text: "no"},
		{Decision: model.DecideDeny, Text: "never"},
		{Decision: model.DecideRespond, Text: "small ones"},
		{Decision: model.DecideEdit, Args: []byte(`{"a": 1}`)},
	}
	state := map[model.Decision]string{
		model.DecideAccept: model.RequestAccepted, model.DecideDeny: model.RequestDenied,
		model.DecideRespond: model.RequestResponded, model.DecideEdit: model.RequestEdited,
	}
	rapid.Check(t, func(t *rapid.T) {
		version := func(name string) (q model.Request) {
			q = model.Request{ID: "req-1", Kind: model.KindAction, Title: "x", State: model.RequestPending, CreatedBy: "agent:a"}
			draw := func() model.Answer {
				a := answers[rapid.IntRange(0, len(answers)-1).Draw(t, name)]
				a.By, a.At = model.Actor("human:"+name), time.Unix(int64(rapid.IntRange(1, 9).Draw(t, "at")), 0).UTC()
				return a
			}
			if rapid.Bool().Draw(t, "answered") {
				a := draw()
				q.Answer, q.State = &a, state[a.Decision]
			}
			for range rapid.IntRange(0, 2).Draw(t, "others") {
				if a := draw(); !q.GaveOther(&a) {
					q.Others = append(q.Others, a)
				}
			}
			return q
		}
		x, y := version("ann"), version("bob")
		a, b := model.EncodeRequest(x), model.EncodeRequest(y)
		one, _ := File("hitl_queue/req-1.json", nil, a, b)
		two, ok := File("hitl_queue/req-1.json", nil, b, a)
		if !ok || !bytes.Equal(one, two) {
			t.Fatalf("one clone has %s, the other one %s", one, two)
		}
		got, _ := model.DecodeRequest("", one)
		for _, q := range []*model.Request{&x, &y} {
			other := &x
			if q == &x {
				other = &y
			}
			if !q.IsDecided() {
				continue
			}
			if q.State == model.RequestDenied && !other.GaveOther(q.Answer) && got.State != model.RequestDenied {
				t.Errorf("a denial gave way:\n%s%s%s", a, b, one)
			}
			if !got.GaveOther(q.Answer) && (!got.IsDecided() || !got.Answer.Same(q.Answer)) {
				t.Errorf("an answer is lost:\n%s%s%s", a, b, one)
			}
		}
		if again, _ := File("hitl_queue/req-1.json", nil, one, a); fmt.Sprint(x.Others) == "[]" && !bytes.Equal(again, one) {
			t.Errorf("merged again it is\n%s, not\n%s", again, one)
		}
	})
}

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
