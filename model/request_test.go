package model

import (
	"reflect"
	"testing"
	"time"
)

func decodeRequest(b []byte) (Request, []Problem) {
	return DecodeRequest(".vespe/hitl_queue/req-1.json", b)
}

func TestRequestGolden(t *testing.T) {
	const golden = `{
  "id": "req-1",
  "task_uid": "tsk-a",
  "kind": "escalation",
  "title": "build failed",
  "detail": "three times",
  "state": "pending",
  "created_at": "2026-01-02T03:04:05Z",
  "created_by": "system:vespe",
  "key": "attempts:tsk-a",
  "options": ["retry", "abort"]
}
`
	q, problems := decodeRequest([]byte(golden))
	noProblems(t, problems)
	want := Request{
		ID: "req-1", TaskUID: "tsk-a", Kind: "escalation", Title: "build failed", Detail: "three times", State: "pending",
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), CreatedBy: "system:vespe", Key: "attempts:tsk-a",
		Extra: Extra{{Key: "options", Value: []byte(`["retry", "abort"]`)}},
	}
	if !reflect.DeepEqual(q, want) {
		t.Errorf("decoded %+v", q)
	}
	sameText(t, EncodeRequest(q), golden)
}

func TestRequestDefaults(t *testing.T) {
	q, problems := decodeRequest([]byte(`{"messages":[]}`))
	noProblems(t, problems)
	if q.ID != "req-1" || q.Kind != "question" || q.State != "pending" {
		t.Errorf("decoded %+v", q)
	}
}

func TestRequestProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodeRequest(b)
		return p
	}, []problemCase{
		{"id is a number", `{"id":1}`, 1, Error, "wrong-type", `"id"`},
		{"id is a path", `{"id":"../x"}`, 1, Error, "wrong-type", "../x"},
		{"id is hidden", `{"id":".x"}`, 1, Error, "wrong-type", ".x"},
		{"id cannot be seen", "{\"id\":\"a\u202eb\"}", 1, Error, "wrong-type", "⟨U+202E⟩"},
		{"two ids", `{"id":"a","ID":"b"}`, 1, Error, "misspelt-key", "ID"},
		{"task is a path", `{"task_uid":"../x"}`, 1, Warning, "wrong-type", "../x"},
		{"kind is a list", "{\n\n\"kind\":[]}", 3, Warning, "wrong-type", "kind"},
	})
}

func FuzzDecodeRequest(f *testing.F) {
	seed(f, `{"id":"req-1","kind":5,"state":[],"title":"x","options":[{"a":1}]}`, `{"created_at":"2026-01-02","key":null}`)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeRequest, EncodeRequest) })
}
