package model

import (
	"reflect"
	"testing"
	"time"
)

const eventPath = ".vespe/tasks/tsk-a/persistent/20260102030405_678_accept_plan-71a0ef71.json"

func decodeEvent(b []byte) (Event, []Problem) { return DecodeEvent(eventPath, b) }

const goldenEvent = `{
  "event": "accept_plan",
  "uid": "tsk-a",
  "at": "2026-01-02T03:04:05.678Z",
  "actor": "human:ann",
  "channel": "workbench",
  "from": "plan_defined",
  "to": "working",
  "reason": "fine",
  "summary": "ann accepted plan 3",
  "op_id": "op-1",
  "seq": 18446744073709551615,
  "cause": "tsk-b",
  "details": {
    "plan_revision": 3,
    "files": [
      "a",
      {}
    ]
  }
}
`

func TestEventGolden(t *testing.T) {
	want := Event{
		Name: AcceptPlan, UID: "tsk-a", At: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC), Actor: "human:ann",
		Channel: "workbench", From: PlanDefined, To: Working, Reason: "fine", Summary: "ann accepted plan 3", OpID: "op-1", Seq: 1<<64 - 1, Cause: "tsk-b",
		Details: []ExtraField{IntField("plan_revision", 3), {Key: "files", Value: []byte(`["a",{}]`)}},
		File:    "20260102030405_678_accept_plan-71a0ef71.json",
	}
	sameText(t, EncodeEvent(want), goldenEvent)
	got, problems := decodeEvent([]byte(goldenEvent))
	noProblems(t, problems)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("decoded %+v", got)
	}
	if EventFile(got) != got.File {
		t.Errorf("EventFile = %q", EventFile(got))
	}
}

func TestEventOfOlderSystems(t *testing.T) {
	dir := ".vespe/tasks/tsk-a/persistent/"
	at := time.Date(2025, 9, 26, 8, 53, 5, 123e6, time.UTC)
	tests := []struct {
		name, file, in string
		want           Event
	}{
		{
			"event file", "20250926085305123_llm_response.json",
			`{"timestamp":"2025-09-26T08:53:05.123456789Z","event_type":"llm_response","acting_agent_uid":"agt-1","content":"hello"}`,
			Event{Name: "llm_response", UID: "tsk-a", At: at, Actor: "agt-1", Summary: "hello"},
		},
		{
			"before that", "20250926085305_123_tool.json", `{"agent_id":"agt-1","content":{"tool":"ls"}}`,
			Event{Name: "tool", UID: "tsk-a", At: at, Actor: "agt-1", Details: []ExtraField{{Key: "content", Value: []byte(`{"tool":"ls"}`)}}},
		},
		{
			"both vocabularies", "x.json", `{"event_type":"old","event":"new","timestamp":"2025-09-26T08:53:05Z","at":"2025-09-26T08:53:05.123Z"}`,
			Event{Name: "new", UID: "tsk-a", At: at, Details: []ExtraField{TextField("event_type", "old"), TextField("timestamp", "2025-09-26T08:53:05Z")}},
		},
		{
			"message", "msg-1.json", `{"uid":"msg-1","timestamp":"2025-09-26T08:53:05.123Z","event_type":"message","author_agent_uid":"usr-1","content":{"Text":"hi"},"status":"Enabled"}`,
			Event{Name: "message", UID: "tsk-a", At: at, Actor: "usr-1", Details: []ExtraField{{Key: "content", Value: []byte(`{"Text":"hi"}`)}, TextField("status", "Enabled"), TextField("uid", "msg-1")}},
		},
		{
			"message of a memory", "msg-0a.json", `{"uid":"msg-0a","timestamp":"2025-09-26T08:53:05.123456789Z","author_agent_uid":"agt-1","content":{"Text":"hi"},"status":"Disabled"}`,
			Event{Name: "message", UID: "tsk-a", At: at, Actor: "agt-1", Summary: "hi", Details: []ExtraField{TextField("status", "Disabled"), TextField("uid", "msg-0a")}},
		},
		{
			"thought", "msg-0b.json", `{"timestamp":"2025-09-26T08:53:05.123Z","author_agent_uid":"agt-1","content":{"Thought":"hm"}}`,
			Event{Name: "thought", UID: "tsk-a", At: at, Actor: "agt-1", Summary: "hm"},
		},
		{
			"tool call", "msg-0c.json", `{"timestamp":"2025-09-26T08:53:05.123Z","author_agent_uid":"agt-1","content":{"ToolCall":{"tool_name":"ls","call_uid":"c1","inputs":{"path":"."}}}}`,
			Event{Name: "tool_call", UID: "tsk-a", At: at, Actor: "agt-1", Summary: "ls", Details: []ExtraField{
				TextField("tool_name", "ls"), TextField("call_uid", "c1"), {Key: "inputs", Value: []byte(`{"path":"."}`)},
			}},
		},
		{
			"tool result", "msg-0d.json", `{"timestamp":"2025-09-26T08:53:05.123Z","author_agent_uid":"agt-1","content":{"ToolResult":{"tool_uid":"t","result":[1]}}}`,
			Event{Name: "tool_result", UID: "tsk-a", At: at, Actor: "agt-1", Details: []ExtraField{TextField("tool_uid", "t"), {Key: "result", Value: []byte(`[1]`)}}},
		},
		{
			"a detail of a known name", "20250926085305_123_x.json", `{"details":{"to":1,"a":2},"to":"nowhere","a":3}`,
			Event{Name: "x", UID: "tsk-a", At: at, Details: []ExtraField{IntField("to", 1), IntField("a", 2), TextField("to_2", "nowhere"), IntField("a_2", 3)}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := DecodeEvent(dir+tt.file, []byte(tt.in))
			for _, p := range problems {
				if p.Severity == Error {
					t.Errorf("problem: %+v", p)
				}
			}
			tt.want.File = tt.file
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("decoded %+v\nwant    %+v", got, tt.want)
			}
			stable(t, []byte(tt.in), func(b []byte) (Event, []Problem) { return DecodeEvent(dir+tt.file, b) }, EncodeEvent)
		})
	}
}

func TestEventProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := DecodeEvent(".vespe/tasks/tsk-a/persistent/x.json", b)
		return p
	}, []problemCase{
		{"no name", `{"at":"2026-01-02T03:04:05Z"}`, 1, Error, "missing-key", "event"},
		{"content of no kind", `{"content":{"Other":"x"}}`, 1, Error, "missing-key", "event"},
		{"content of two kinds", `{"content":{"Text":"x","Thought":"y"}}`, 1, Error, "missing-key", "event"},
		{"content that is no text", `{"content":{"Text":{}}}`, 1, Error, "missing-key", "event"},
		{"bad time", "{\"event\":\"x\",\n\"at\":\"now\"}", 2, Warning, "wrong-type", "now"},
		{"bad state", `{"event":"x","to":"cooking"}`, 1, Warning, "wrong-type", "cooking"},
		{"bad sequence", `{"event":"x","seq":-1}`, 1, Warning, "wrong-type", "seq"},
		{"details are a list", `{"event":"x","details":[]}`, 1, Warning, "wrong-type", "details"},
	})
}

func TestEventFile(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 4, 5, 7_900_000, time.FixedZone("x", 9*3600))
	if got := EventFile(Event{Name: "Accept/plan é", At: at}); got != "20260102030405_007__ccept_plan__.json" {
		t.Errorf("EventFile = %q", got)
	}
	tests := []struct {
		name  string
		ms    int
		event Name
		ok    bool
	}{
		{"20260102030405_678_accept_plan-71a0ef71.json", 678, "accept_plan", true},
		{"20260102030405_678_accept_plan.json", 678, "accept_plan", true},
		{"20260102030405_678_said-so.json", 678, "said-so", true},
		{"20260102030405_678_-71a0ef71.json", 678, "", false},
		{"20260102030405678_accept_plan.json", 678, "accept_plan", true},
		{"20260102030405_7_note.json", 7, "note", true},
		{"20260102030405_note.json", 0, "note", true},
		{"20260102030405_007.json", 0, "007", true},
		{"20260102030405_678_2_note.json", 678, "2_note", true},
		{"20260102030405.json", 0, "", false},
		{"20260102030405_.json", 0, "", false},
		{"20261302030405_678_note.json", 0, "", false},
		{"2026010203040567x_note.json", 0, "", false},
		{"msg-1_2.json", 0, "", false},
		{"20260102030405_678_note.txt", 0, "", false},
	}
	for _, tt := range tests {
		at, event, ok := ParseEventFile(tt.name)
		if ok != tt.ok || event != tt.event {
			t.Errorf("ParseEventFile(%q) = %v, %q, %v", tt.name, at, event, ok)
		}
		if want := time.Date(2026, 1, 2, 3, 4, 5, tt.ms*1e6, time.UTC); ok && !at.Equal(want) {
			t.Errorf("ParseEventFile(%q) is at %v, want %v", tt.name, at, want)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	seed(f, goldenEvent, `{"event_type":"x","content":1,"uid":"msg-1","details":{"uid":1},"to":2,"to_2":3}`)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeEvent, EncodeEvent) })
}

func FuzzParseEventFile(f *testing.F) {
	for _, s := range []string{"20260102030405_678_accept_plan-71a0ef71.json", "20260102030405678_x.json", "_.json", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		at, event, ok := ParseEventFile(name)
		if !ok {
			return
		}
		again, name2, ok := ParseEventFile(EventFile(Event{Name: "x" + event, At: at}))
		if !ok || !again.Equal(at) || len(name2) == 0 {
			t.Errorf("%q: %v %q, then %v %q %v", name, at, event, again, name2, ok)
		}
	})
}
