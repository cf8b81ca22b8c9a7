package lifecycle

import (
	"testing"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/staged"
)

// A plan that lacks something can be accepted again, and one that lacks nothing cannot.
func TestALackingPlanIsAcceptedAgain(t *testing.T) {
	tasks, one := lackingPair()
	s := snapshot.New(snapshot.Input{Tasks: tasks}).Lacking(map[model.UID]model.Lack{"tsk-a": model.LackOf(one, "no key")})
	for uid, want := range map[model.UID]bool{"tsk-a": true, "tsk-b": false} {
		if err := Allowed(s, model.Op{Name: model.AcceptPlan, UID: uid, Actor: "human:ann"}); (err == nil) != want {
			t.Errorf("%s: %v", uid, err)
		}
		over := staged.New(s)
		if err := Allowed(over, model.Op{Name: model.AcceptPlan, UID: uid, Actor: "human:ann"}); (err == nil) != want {
			t.Errorf("%s, over it: %v", uid, err)
		}
	}
}

func lackingPair() (tasks []*model.Task, one *model.Task) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, uid := range []model.UID{"tsk-a", "tsk-b"} {
		tasks = append(tasks, &model.Task{
			UID: uid, Config: model.Config{UID: uid, Name: string(uid)}, HasStatus: true, HasPlan: true,
			Status: model.StatusFile{
				CurrentState: model.Working, AcceptedPlan: &model.AcceptedPlan{Approval: "accept-1.json", ApprovalHash: model.HashBytes([]byte("1")), At: at},
				Review: &model.Review{Of: "plan", Verdict: model.VerdictDeferred},
			},
		})
	}
	return tasks, tasks[0]
}
