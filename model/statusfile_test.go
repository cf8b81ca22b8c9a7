package model

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const statusPath = ".vespe/tasks/tsk-abc123def456/status.json"

func decodeStatus(b []byte) (StatusFile, []Problem) { return DecodeStatus(statusPath, b) }

func hashOf(digit string) string { return HashPrefix + strings.Repeat(digit, 64) }

// fullStatus has something in every field.
func fullStatus() StatusFile {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	before := StatusFile{CurrentState: PlanDefined, LastUpdatedAt: at, Revision: 6}
	return StatusFile{
		CurrentState: Working, LastUpdatedAt: at, Progress: "3/7",
		ParentContentHashes: []ContentHash{{"tsk-b_objective", hashOf("1")}, {"tsk-b_plan", hashOf("2")}},
		IsPaused:            true, PauseReason: "subtasks", PausedBy: "human:ann", PreviousState: Working, SubtaskUIDs: []UID{"tsk-c", "tsk-d"},
		ErrorDetails: "disk full\nretry", RetryCount: 2, ByHand: "human:bob", FailedBy: "tsk-def456", AssignedAgentUID: "agent:claude", CurrentRun: "run-1", RunStartedAt: at, Runs: 2, RunSeconds: 90,
		ChangedBecause: []ChangeReason{{"tsk-b/plan.md", hashOf("2"), hashOf("3")}, {File: "spec.json"}},
		PlanRevision:   3, ObjectiveRevision: 1,
		AcceptedPlan: &AcceptedPlan{
			PlanRevision: 3, PlanHash: hashOf("4"), ObjectiveRevision: 1, ObjectiveHash: hashOf("5"), By: "human:ann", At: at,
			Approval: "1-accept.json", Extra: Extra{TextField("note", "ok")},
		},
		Review: &Review{
			Of: "plan", Verdict: "accepted", By: "human:ann", At: at, Reason: "fine", Revision: 3,
			Extra: Extra{IntField("stars", 5)},
		},
		Answered: []string{"req-1"}, Lowered: []string{"risk: high"}, LastOps: []string{"op-1"}, UnmergedOps: []string{"op-2"}, PickedOps: []string{"op-3"},
		Comments: &CommentBook{
			Revision: 3, Open: 2, Blocking: 1, Questions: 1, Hash: "sha256-" + strings.Repeat("6", 64),
			Extra: Extra{{Key: "mood", Value: []byte(`"good"`)}},
		},
		Undo: &Undo{Transition: AcceptPlan, By: "human:ann", At: at, Tasks: []UndoTask{
			{UID: "tsk-abc123def456", Revision: 7, Before: EncodeStatus(before)},
		}},
		Revision: 7,
		Extra:    Extra{TextField("owner", "bob"), {Key: "tags", Value: []byte("[ \"x\" ]")}},
	}
}

const goldenStatus = `{
  "current_state": "working",
  "last_updated_at": "2026-01-02T03:04:05.678Z",
  "progress": "3/7",
  "parent_content_hashes": {
    "tsk-b_objective": "sha256-1111111111111111111111111111111111111111111111111111111111111111",
    "tsk-b_plan": "sha256-2222222222222222222222222222222222222222222222222222222222222222"
  },
  "is_paused": true,
  "pause_reason": "subtasks",
  "paused_by": "human:ann",
  "previous_state": "working",
  "subtask_uids": [
    "tsk-c",
    "tsk-d"
  ],
  "error_details": "disk full\nretry",
  "retry_count": 2,
  "by_hand": "human:bob",
  "failed_by": "tsk-def456",
  "assigned_agent_uid": "agent:claude",
  "current_run": "run-1",
  "run_started_at": "2026-01-02T03:04:05.678Z",
  "runs": 2,
  "run_seconds": 90,
  "changed_because": [
    {
      "file": "tsk-b/plan.md",
      "old": "sha256-2222222222222222222222222222222222222222222222222222222222222222",
      "new": "sha256-3333333333333333333333333333333333333333333333333333333333333333"
    },
    "spec.json"
  ],
  "plan_revision": 3,
  "objective_revision": 1,
  "accepted_plan": {
    "plan_revision": 3,
    "plan_hash": "sha256-4444444444444444444444444444444444444444444444444444444444444444",
    "objective_revision": 1,
    "objective_hash": "sha256-5555555555555555555555555555555555555555555555555555555555555555",
    "by": "human:ann",
    "at": "2026-01-02T03:04:05.678Z",
    "approval": "1-accept.json",
    "note": "ok"
  },
  "review": {
    "of": "plan",
    "verdict": "accepted",
    "by": "human:ann",
    "at": "2026-01-02T03:04:05.678Z",
    "reason": "fine",
    "revision": 3,
    "stars": 5
  },
  "answered": [
    "req-1"
  ],
  "comments": {
    "revision": 3,
    "open": 2,
    "blocking": 1,
    "questions": 1,
    "hash": "sha256-6666666666666666666666666666666666666666666666666666666666666666",
    "mood": "good"
  },
  "lowered": [
    "risk: high"
  ],
  "undo": {
    "transition": "accept_plan",
    "by": "human:ann",
    "at": "2026-01-02T03:04:05.678Z",
    "tasks": [
      {
        "uid": "tsk-abc123def456",
        "revision": 7,
        "before": {
          "current_state": "plan_defined",
          "last_updated_at": "2026-01-02T03:04:05.678Z",
          "parent_content_hashes": {},
          "is_paused": false,
          "subtask_uids": [],
          "retry_count": 0,
          "revision": 6
        }
      }
    ]
  },
  "last_ops": ["op-1"],
  "unmerged_ops": ["op-2"],
  "picked_ops": ["op-3"],
  "revision": 7,
  "owner": "bob",
  "tags": [ "x" ]
}
`

func TestStatusGolden(t *testing.T) {
	sameText(t, EncodeStatus(fullStatus()), goldenStatus)
	got, problems := decodeStatus([]byte(goldenStatus))
	noProblems(t, problems)
	if want := fullStatus(); !reflect.DeepEqual(got, want) {
		t.Errorf("decoded\n%+v\nwant\n%+v", got, want)
	}
}

// Every field of StatusFile that is in the file has something in it, or the golden file shows too little.
func TestFullStatusIsFull(t *testing.T) {
	v := reflect.ValueOf(fullStatus())
	for i := range v.NumField() {
		if v.Type().Field(i).Name != "Elsewhere" && v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
}

func TestSmallestStatus(t *testing.T) {
	const want = `{
  "current_state": "created",
  "last_updated_at": null,
  "parent_content_hashes": {},
  "is_paused": false,
  "subtask_uids": [],
  "retry_count": 0,
  "revision": 0
}
`
	sameText(t, EncodeStatus(StatusFile{CurrentState: Created}), want)
	s, problems := decodeStatus([]byte(want))
	noProblems(t, problems)
	if !reflect.DeepEqual(s, StatusFile{CurrentState: Created}) {
		t.Errorf("decoded %+v", s)
	}
}

// The files of the source designs: the first wrote them by hand, the second with every
// optional field as null.
func TestStatusOfOlderSystems(t *testing.T) {
	s, problems := decodeStatus([]byte(`{
      "current_state": "created",
      "last_updated_at": "2025-09-22T10:00:00Z",
      "progress": "0%",
      "parent_content_hashes": {
        "tsk-xyz789uvw012_objective": "sha256-abcdef12345..."
      }
    }`))
	noProblems(t, problems)
	if s.CurrentState != Created || s.Progress != "0%" || s.ParentContentHashes[0].Hash != "sha256-abcdef12345..." {
		t.Errorf("decoded %+v", s)
	}
	s, problems = decodeStatus([]byte(`{"current_state":"ObjectiveDefined","last_updated_at":"2025-09-26T08:53:05.123456789Z",` +
		`"progress":null,"parent_content_hashes":{"tsk-a_plan":"` + strings.Repeat("AB", 32) + `"},"is_paused":false,"error_details":null,` +
		`"previous_state":null,"retry_count":0,"subtask_uids":[],"assigned_agent_uid":null}`))
	noProblems(t, problems)
	want := StatusFile{
		CurrentState: ObjectiveDefined, LastUpdatedAt: time.Date(2025, 9, 26, 8, 53, 5, 123e6, time.UTC),
		ParentContentHashes: []ContentHash{{"tsk-a_plan", HashPrefix + strings.Repeat("ab", 32)}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("decoded %+v, want %+v", s, want)
	}
}

func TestStatusSpellings(t *testing.T) {
	hash := hashOf("7")
	tests := []struct {
		name, in string
		want     StatusFile
	}{
		{"ready", `{"current_state":"ready"}`, StatusFile{CurrentState: PlanDefined, AcceptedPlan: &AcceptedPlan{}}},
		{"ready in a file of vespe", `{"current_state":"ready","revision":3}`, StatusFile{CurrentState: PlanDefined, Revision: 3}},
		{"blocked", `{"current_state":"BLOCKED"}`, StatusFile{CurrentState: PlanDefined, AcceptedPlan: &AcceptedPlan{}}},
		{"ready and bound", `{"accepted_plan":"` + hash + `","current_state":"ready"}`, StatusFile{CurrentState: PlanDefined, AcceptedPlan: &AcceptedPlan{PlanHash: hash}}},
		{"paused", `{"is_paused":false,"current_state":"paused"}`, StatusFile{CurrentState: Working, IsPaused: true}},
		{"paused, flag unreadable", `{"is_paused":[],"current_state":"paused"}`, StatusFile{CurrentState: Working, IsPaused: true}},
		{"changed", `{"current_state":"changed"}`, StatusFile{CurrentState: PlanDefined, ChangedBecause: []ChangeReason{{File: ChangedUnrecorded}}}},
		{"changed and why", `{"current_state":"changed","changed_because":"x"}`, StatusFile{CurrentState: PlanDefined, ChangedBecause: []ChangeReason{{File: "x"}}}},
		{"null", `{"current_state":null}`, StatusFile{CurrentState: Created}},
		{"escaped key", `{"current\u005fstate":"working"}`, StatusFile{CurrentState: Working}},
		{"progress as a number", `{"current_state":"working","progress":40.5}`, StatusFile{CurrentState: Working, Progress: "40.5"}},
		{"counts in quotes and floats", `{"current_state":"working","retry_count":"2","revision":3.0}`, StatusFile{CurrentState: Working, RetryCount: 2, Revision: 3}},
		{"flag in quotes", `{"current_state":"working","is_paused":"true"}`, StatusFile{CurrentState: Working, IsPaused: true}},
		{"one subtask alone", `{"current_state":"working","subtask_uids":"tsk-a"}`, StatusFile{CurrentState: Working, SubtaskUIDs: []UID{"tsk-a"}}},
		{"everything null", `{"current_state":"working","last_updated_at":null,"parent_content_hashes":null,"subtask_uids":null,"changed_because":null,"accepted_plan":null,"review":null,"undo":null,"revision":null,"is_paused":null,"previous_state":null}`, StatusFile{CurrentState: Working}},
		{"previous state of old", `{"current_state":"working","previous_state":"STARTED"}`, StatusFile{CurrentState: Working, PreviousState: Working}},
		{"not accepted", `{"current_state":"plan_defined","accepted_plan":false}`, StatusFile{CurrentState: PlanDefined}},
		{"accepted, bare digits", `{"current_state":"plan_defined","accepted_plan":"` + strings.Repeat("7", 64) + `"}`, StatusFile{CurrentState: PlanDefined, AcceptedPlan: &AcceptedPlan{PlanHash: hash}}},
		{"reasons of all kinds", `{"current_state":"working","changed_because":["a",{"file":"b","old":"sha256:` + strings.Repeat("7", 64) + `","new":null},{"why":"c"},7,true,null,""]}`, StatusFile{
			CurrentState:   Working,
			ChangedBecause: []ChangeReason{{File: "a"}, {File: "b", Old: hash}, {File: `{"why":"c"}`}, {File: "7"}, {File: ChangedUnrecorded}, {File: ChangedUnrecorded}, {File: ChangedUnrecorded}},
		}},
		{"one reason as an object", `{"current_state":"working","changed_because":{"file":"b","old":"x","new":"y"}}`, StatusFile{CurrentState: Working, ChangedBecause: []ChangeReason{{"b", "x", "y"}}}},
		{"no reason", `{"current_state":"working","changed_because":[]}`, StatusFile{CurrentState: Working}},
		{"an empty reason", `{"current_state":"working","changed_because":""}`, StatusFile{CurrentState: Working}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, problems := decodeStatus([]byte(tt.in))
			for _, p := range problems {
				if p.Severity == Error {
					t.Errorf("problem: %+v", p)
				}
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("decoded %+v\nwant    %+v", got, tt.want)
			}
			stable(t, []byte(tt.in), decodeStatus, EncodeStatus)
		})
	}
}

func TestStatusProblems(t *testing.T) {
	checkProblems(t, func(b []byte) []Problem {
		_, p := decodeStatus(b)
		return p
	}, []problemCase{
		{"no state", `{"retry_count":1}`, 1, Error, "missing-key", "current_state"},
		{"null state", "{\n\"current_state\":null}", 2, Warning, "null-state", "created"},
		{"unknown state", "{\n\n\"current_state\":\"cooking\"}", 3, Error, "wrong-type", "cooking"},
		{"state is a number", `{"current_state":3}`, 1, Error, "wrong-type", "3"},
		{"state twice by case", `{"current_state":"created","Current_State":"completed"}`, 1, Error, "misspelled-key", "Current_State"},
		{"state with a long s", "{\"current_state\":\"created\",\"current_\u017ftate\":\"completed\"}", 1, Error, "misspelled-key", "tate"},
		{"camel case flag", "{\"current_state\":\"created\",\n\"isPaused\":true}", 2, Warning, "misspelled-key", "is_paused"},
		{"flag is a list", `{"current_state":"created","is_paused":[]}`, 1, Warning, "wrong-type", "is_paused"},
		{"count below zero", `{"current_state":"created","retry_count":-1}`, 1, Warning, "wrong-type", "-1"},
		{"count with a fraction", `{"current_state":"created","retry_count":1.5}`, 1, Warning, "wrong-type", "1.5"},
		{"count too large", `{"current_state":"created","retry_count":1e300}`, 1, Warning, "wrong-type", "1e300"},
		{"hash is a number", `{"current_state":"created","parent_content_hashes":{"a":1}}`, 1, Warning, "wrong-type", "parent_content_hashes"},
		{"subtasks are numbers", `{"current_state":"created","subtask_uids":[1]}`, 1, Warning, "wrong-type", "subtask_uids"},
		{"subtask cannot be", `{"current_state":"created","subtask_uids":["../x"]}`, 1, Warning, "bad-uid", "../x"},
		{"acceptance is a list", `{"current_state":"created","accepted_plan":[]}`, 1, Warning, "wrong-type", "accepted_plan"},
		{"acceptance with a bad time", "{\"current_state\":\"created\",\"accepted_plan\":{\n\"at\":5}}", 2, Warning, "wrong-type", `"at"`},
		{"review is a word", `{"current_state":"created","review":"accepted"}`, 1, Warning, "wrong-type", "review"},
		{"undo with strange key", `{"current_state":"created","undo":{"x":1}}`, 1, Warning, "unknown-key", `"x"`},
		{"undo of a number", `{"current_state":"created","undo":{"tasks":[3]}}`, 1, Warning, "wrong-type", "tasks"},
		{"previous state unknown", `{"current_state":"created","previous_state":"cooking"}`, 1, Warning, "wrong-type", "previous_state"},
		{"hidden characters in a key", "{\"current_state\":\"created\",\"retry\u200bcount\":1,\"retry_count\":\"\u202e\"}", 1, Warning, "wrong-type", "⟨U+202E⟩"},
	})
}

// Whatever could not be read is still in the file after a rewrite, in its key's place.
func TestUnreadableStatusSurvives(t *testing.T) {
	const in = `{
  "current_state": "working",
  "last_updated_at": "soon",
  "parent_content_hashes": {
    "a": 1
  },
  "is_paused": [],
  "subtask_uids": {},
  "retry_count": -1,
  "accepted_plan": {"at": 5, "x": [ 1 ]},
  "review": "accepted",
  "revision": 1,
  "Revision": 2
}
`
	s, problems := decodeStatus([]byte(in))
	if len(problems) != 8 {
		t.Errorf("%d problems: %+v", len(problems), problems)
	}
	if s.AcceptedPlan != nil || s.Review != nil || s.IsPaused {
		t.Errorf("something unreadable was believed: %+v", s)
	}
	sameText(t, EncodeStatus(s), in)
	s.RetryCount = 1
	if out := string(EncodeStatus(s)); !strings.Contains(out, `"retry_count": 1,`) || strings.Contains(out, "-1") {
		t.Errorf("the field that was set is not written alone:\n%s", out)
	}
}

func TestUnreadableAcceptanceIsNoAcceptance(t *testing.T) {
	s, _ := decodeStatus([]byte(`{"current_state":"ready","accepted_plan":7}`))
	if s.AcceptedPlan != nil {
		t.Errorf("accepted: %+v", s.AcceptedPlan)
	}
}

// The original writes a pause for subtasks without a reason. What vespe writes has a revision, and there a pause
// without a reason is a person's.
func TestPauseOfTheOriginal(t *testing.T) {
	for in, want := range map[string]string{
		`{"current_state":"Working","is_paused":true,"subtask_uids":["tsk-b"]}`:                        "subtasks",
		`{"current_state":"Working","is_paused":true,"pause_reason":null,"subtask_uids":["tsk-b"]}`:    "subtasks",
		`{"current_state":"Working","is_paused":true,"pause_reason":"lunch","subtask_uids":["tsk-b"]}`: "other",
		`{"current_state":"Working","is_paused":true,"subtask_uids":[]}`:                               "other",
		`{"current_state":"Working","is_paused":true,"pause_reason":3,"subtask_uids":["tsk-b"]}`:       "other",
		`{"current_state":"Working","is_paused":false,"subtask_uids":["tsk-b"]}`:                       "",
		`{"current_state":"working","is_paused":true,"subtask_uids":["tsk-b"],"revision":3}`:           "other",
	} {
		s, _ := DecodeStatus("status.json", []byte(in))
		if got := s.PauseKind(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestPauseKind(t *testing.T) {
	for _, tt := range []struct {
		paused       bool
		reason, want string
	}{
		{false, "hitl", ""},
		{true, "", "other"},
		{true, "lunch", "other"},
		{true, "subtasks", "subtasks"},
		{true, "hitl", "hitl"},
		{true, "hitl: subtask X failed", "hitl"},
		{true, "hitless", "other"},
	} {
		if got := (StatusFile{IsPaused: tt.paused, PauseReason: tt.reason}).PauseKind(); got != tt.want {
			t.Errorf("PauseKind(%v, %q) = %q, want %q", tt.paused, tt.reason, got, tt.want)
		}
	}
}

func FuzzDecodeStatus(f *testing.F) {
	seed(
		f, goldenStatus, `{"current_state":"ready","accepted_plan":7}`, `{"current_state":"changed","changed_because":[1,{}]}`,
		`{"x":1,"review":{"at":0},"retry_count":[],"current_state":"paused","is_paused":{}}`, `{"current_state":"done","undo":{"tasks":[{"uid":"a","before":{"x":[1]}}]},"review":{"at":1}}`,
	)
	f.Fuzz(func(t *testing.T, b []byte) { stable(t, b, decodeStatus, EncodeStatus) })
}
