package model

import (
	"reflect"
	"testing"
	"time"
)

func decodeRequest(b []byte) (Request, []Problem) {
	return DecodeRequest(".vespe/hitl_queue/req-1.json", b)
}

const goldenRequest = `{
  "id": "req-1",
  "task_uid": "tsk-a",
  "kind": "action",
  "title": "remove the old build",
  "detail": "it is in the way\n",
  "options": [
    "a",
    "b"
  ],
  "args": {"command":  "rm -r build", "n": 1.0},
  "allow": [
    "accept",
    "edit"
  ],
  "risk": "medium",
  "state": "edited",
  "created_at": "2026-01-02T03:04:05Z",
  "created_by": "agent:claude",
  "expires_at": "2026-01-02T04:04:05Z",
  "key": "clean",
  "answer": {
    "decision": "edit",
    "by": "human:ann",
    "at": "2026-01-02T05:04:05Z",
    "text": "only this",
    "choice": "a",
    "args": {"command":  "rm -r build/x"},
    "late": true,
    "fetched_by": "agent:claude",
    "fetched_at": "2026-01-02T06:04:05Z",
    "acted_by": "agent:claude",
    "acted_at": "2026-01-02T07:04:05Z",
    "acted_with": "start",
    "mood": "good"
  },
  "other_answers": [
    {
      "decision": "deny",
      "by": "human:bob",
      "at": "2026-01-02T08:04:05Z",
      "text": "not on a Friday"
    }
  ],
  "thread": [ 1 ]
}
`

func fullRequest() Request {
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 4, 5, 0, time.UTC) }
	return Request{
		ID: "req-1", TaskUID: "tsk-a", Kind: KindAction, Title: "remove the old build", Detail: "it is in the way\n",
		Options: []string{"a", "b"}, Args: []byte(`{"command":  "rm -r build", "n": 1.0}`), Allow: []string{"accept", "edit"},
		Risk: "medium", State: RequestEdited, CreatedAt: at(3), CreatedBy: "agent:claude", ExpiresAt: at(4), Key: "clean",
		Answer: &Answer{
			Decision: DecideEdit, By: "human:ann", At: at(5), Text: "only this", Choice: "a", Args: []byte(`{"command":  "rm -r build/x"}`),
			Late: true, FetchedBy: "agent:claude", FetchedAt: at(6), ActedBy: "agent:claude", ActedAt: at(7), ActedWith: Start,
			Extra: Extra{TextField("mood", "good")},
		},
		Others: []Answer{{Decision: DecideDeny, By: "human:bob", At: at(8), Text: "not on a Friday"}},
		Extra:  Extra{{Key: "thread", Value: []byte(`[ 1 ]`)}},
	}
}

func TestRequestGolden(t *testing.T) {
	q, problems := decodeRequest([]byte(goldenRequest))
	noProblems(t, problems)
	if want := fullRequest(); !reflect.DeepEqual(q, want) {
		t.Errorf("decoded %+v", q)
	}
	sameText(t, EncodeRequest(q), goldenRequest)
	for _, v := range []reflect.Value{reflect.ValueOf(q), reflect.ValueOf(*q.Answer)} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s is empty: the golden file shows too little", v.Type().Field(i).Name)
			}
		}
	}
	c := q.Clone()
	c.Args[0], c.Answer.Args[0], c.Options[0], c.Answer.Extra[0].Key, c.Others[0].Text = 'x', 'x', "x", "x", "x"
	if want := fullRequest(); !reflect.DeepEqual(q, want) {
		t.Errorf("a clone shares memory: %+v", q)
	}
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
		{"two ids", `{"id":"a","ID":"b"}`, 1, Error, "misspelled-key", "ID"},
		{"task is a path", `{"task_uid":"../x"}`, 1, Warning, "wrong-type", "../x"},
		{"args are a list", `{"args":[]}`, 1, Warning, "wrong-type", "args"},
		{"an answer in part", `{"answer":{"at":5}}`, 1, Warning, "wrong-type", "at"},
		{"options are numbers", `{"options":[1]}`, 1, Warning, "wrong-type", "options"},
		{"kind is a list", "{\n\n\"kind\":[]}", 3, Warning, "wrong-type", "kind"},
	})
}

func FuzzDecodeRequest(f *testing.F) {
	seed(f, `{"id":"req-1","kind":5,"state":[],"title":"x","options":[{"a":1}]}`, `{"created_at":"2026-01-02","key":null}`,
		goldenRequest, `{"args":{"a":[{}]},"answer":{"args":{ },"late":1}}`)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeRequest, EncodeRequest) })
}
