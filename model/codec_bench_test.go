package model

import (
	"encoding/json"
	"testing"
	"time"
)

const configJSON = `{
  "uid": "tsk-01a9f3c2d4e57b8690ab12cd34ef5678",
  "name": "Write the parser for configuration files",
  "created_by": "agent:claude",
  "created_at": "2026-01-02T03:04:05.678Z",
  "parent_uid": "tsk-01a9f3c2d4e57b8690ab12cd34ef0000"
}
`

const statusJSON = `{
  "current_state": "working",
  "last_updated_at": "2026-01-02T03:04:05.678Z",
  "progress": "3/7",
  "parent_content_hashes": {
    "tsk-01a9f3c2d4e57b8690ab12cd34ef0000_plan": "sha256-2222222222222222222222222222222222222222222222222222222222222222"
  },
  "is_paused": false,
  "subtask_uids": [],
  "retry_count": 0,
  "assigned_agent_uid": "agent:claude",
  "plan_revision": 2,
  "objective_revision": 1,
  "accepted_plan": {
    "plan_revision": 2,
    "plan_hash": "sha256-4444444444444444444444444444444444444444444444444444444444444444",
    "objective_revision": 1,
    "objective_hash": "sha256-5555555555555555555555555555555555555555555555555555555555555555",
    "by": "human:ann",
    "at": "2026-01-02T03:04:05.678Z",
    "approval": "1-accept.json"
  },
  "revision": 7
}
`

// The same fields for encoding/json, which checks less and keeps no unknown key.
type stdConfig struct {
	UID       string    `json:"uid"`
	Name      string    `json:"name"`
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	ParentUID *string   `json:"parent_uid"`
}

type stdStatus struct {
	CurrentState        string            `json:"current_state"`
	LastUpdatedAt       time.Time         `json:"last_updated_at"`
	Progress            string            `json:"progress"`
	ParentContentHashes map[string]string `json:"parent_content_hashes"`
	IsPaused            bool              `json:"is_paused"`
	PauseReason         string            `json:"pause_reason"`
	SubtaskUIDs         []string          `json:"subtask_uids"`
	RetryCount          int               `json:"retry_count"`
	AssignedAgentUID    string            `json:"assigned_agent_uid"`
	PlanRevision        int               `json:"plan_revision"`
	ObjectiveRevision   int               `json:"objective_revision"`
	AcceptedPlan        *struct {
		PlanRevision      int       `json:"plan_revision"`
		PlanHash          string    `json:"plan_hash"`
		ObjectiveRevision int       `json:"objective_revision"`
		ObjectiveHash     string    `json:"objective_hash"`
		By                string    `json:"by"`
		At                time.Time `json:"at"`
		Approval          string    `json:"approval"`
	} `json:"accepted_plan"`
	Revision int `json:"revision"`
}

// BenchmarkDecode measures reading config.json and status.json, and beside each in the
// same run encoding/json on the same bytes: "x-std" is how many times faster ours is.
func BenchmarkDecode(b *testing.B) {
	b.Run("config", func(b *testing.B) {
		ratio(b, func() {
			if _, problems := DecodeConfig("config.json", []byte(configJSON)); problems != nil {
				b.Fatal(problems)
			}
		}, func() {
			var c stdConfig
			if err := json.Unmarshal([]byte(configJSON), &c); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("status", func(b *testing.B) {
		ratio(b, func() {
			if _, problems := DecodeStatus("status.json", []byte(statusJSON)); problems != nil {
				b.Fatal(problems)
			}
		}, func() {
			var s stdStatus
			if err := json.Unmarshal([]byte(statusJSON), &s); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("small-status", func(b *testing.B) {
		small := EncodeStatus(StatusFile{CurrentState: Created})
		ratio(b, func() {
			if _, problems := DecodeStatus("status.json", small); problems != nil {
				b.Fatal(problems)
			}
		}, func() {
			var s stdStatus
			if err := json.Unmarshal(small, &s); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// ratio times ours with b and then the same number of theirs by hand.
func ratio(b *testing.B, ours, theirs func()) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		ours()
	}
	b.StopTimer()
	mine := b.Elapsed()
	start := time.Now()
	for range b.N {
		theirs()
	}
	b.ReportMetric(float64(time.Since(start))/float64(max(mine, 1)), "x-std")
}

func BenchmarkEncodeStatus(b *testing.B) {
	s, _ := DecodeStatus("status.json", []byte(statusJSON))
	b.ReportAllocs()
	for b.Loop() {
		EncodeStatus(s)
	}
}
