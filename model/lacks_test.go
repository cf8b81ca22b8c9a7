package model

import (
	"testing"
	"time"
)

// A plan that lacks something can be accepted again, and one that lacks nothing cannot.
func TestALackingPlanIsAcceptedAgain(t *testing.T) {
	tasks, one := lackingPair()
	s := NewSnapshot(Input{Tasks: tasks}).Lacking(map[UID]Lack{"tsk-a": LackOf(one, "no key")})
	for uid, want := range map[UID]bool{"tsk-a": true, "tsk-b": false} {
		if err := Allowed(s, Op{Name: AcceptPlan, UID: uid, Actor: "human:ann"}); (err == nil) != want {
			t.Errorf("%s: %v", uid, err)
		}
		over := NewOverlay(s)
		if err := Allowed(over, Op{Name: AcceptPlan, UID: uid, Actor: "human:ann"}); (err == nil) != want {
			t.Errorf("%s, over it: %v", uid, err)
		}
	}
}

func lackingPair() (tasks []*Task, one *Task) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, uid := range []UID{"tsk-a", "tsk-b"} {
		tasks = append(tasks, &Task{
			UID: uid, Config: Config{UID: uid, Name: string(uid)}, HasStatus: true, HasPlan: true,
			Status: StatusFile{
				CurrentState: Working, AcceptedPlan: &AcceptedPlan{Approval: "accept-1.json", ApprovalHash: HashBytes([]byte("1")), At: at},
				Review: &Review{Of: "plan", Verdict: VerdictDeferred},
			},
		})
	}
	return tasks, tasks[0]
}
