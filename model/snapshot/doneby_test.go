package snapshot_test

import (
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
)

func TestDoneByParts(t *testing.T) {
	part := func(uid model.UID, source string, state model.State) *model.Task {
		return &model.Task{
			UID: uid, Config: model.Config{UID: uid, Name: string(uid), ParentUID: "tsk-p"}, HasStatus: true,
			Status: model.StatusFile{CurrentState: state}, Spec: &model.Spec{Source: source},
		}
	}
	parent := func(hash string) *model.Task {
		return &model.Task{
			UID: "tsk-p", Config: model.Config{UID: "tsk-p", Name: "p"}, HasStatus: true,
			Status: model.StatusFile{CurrentState: model.Working, AcceptedPlan: &model.AcceptedPlan{PlanHash: hash}},
		}
	}
	for name, c := range map[string]struct {
		tasks []*model.Task
		want  bool
	}{
		"no subtask":             {[]*model.Task{parent("sha256-a")}, false},
		"one of its plan":        {[]*model.Task{parent("sha256-a"), part("tsk-1", "plan:sha256-a#T1", model.Completed)}, true},
		"one of another plan":    {[]*model.Task{parent("sha256-b"), part("tsk-1", "plan:sha256-a#T1", model.Completed)}, false},
		"only an aborted one":    {[]*model.Task{parent("sha256-a"), part("tsk-1", "plan:sha256-a#T1", model.Aborted)}, false},
		"one of somebody else's": {[]*model.Task{parent("sha256-a"), part("tsk-1", "an idea", model.Completed)}, false},
	} {
		s := snapshot.New(snapshot.Input{Tasks: c.tasks})
		if got := snapshot.DoneByParts(s, "tsk-p"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
