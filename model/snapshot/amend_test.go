package snapshot

import (
	"slices"
	"testing"

	"vespe/model"
)

// TestAmend compares with a snapshot that is built of the same from scratch.
func TestAmend(t *testing.T) {
	task := func(uid model.UID, deps ...model.UID) *model.Task {
		return &model.Task{UID: uid, Config: model.Config{UID: uid, Name: string(uid)}, Status: model.StatusFile{CurrentState: model.Aborted}, HasStatus: true, DependsOn: deps}
	}
	a, b := task("tsk-a"), task("tsk-b", "tsk-a")
	b.Status.CurrentState = model.PlanDefined
	b.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
	in := Input{Seq: 3, StoreID: "s", Head: "h", Tasks: []*model.Task{a, b}, Problems: []model.Problem{{Path: "x", Code: "stray-file"}}, Requests: []model.Request{{ID: "r1"}}}
	policy := model.Policy{DependencyPolicy: "completed_or_aborted"}
	for name, c := range map[string]struct {
		amend Amendment
		want  func(in *Input)
	}{
		"nothing":  {Amendment{}, func(*Input) {}},
		"gone":     {Amendment{Gone: []model.UID{"tsk-a"}}, func(in *Input) { in.Tasks = in.Tasks[1:] }},
		"policy":   {Amendment{Policy: &policy}, func(in *Input) { in.Policy = policy }},
		"problems": {Amendment{Problems: &[]model.Problem{}}, func(in *Input) { in.Problems = nil }},
		"requests": {Amendment{Requests: &[]model.Request{{ID: "r2"}}}, func(in *Input) { in.Requests = []model.Request{{ID: "r2"}} }},
	} {
		t.Run(name, func(t *testing.T) {
			got := New(in).Amend(c.amend)
			then := in
			then.Tasks = slices.Clone(in.Tasks)
			c.want(&then)
			want := New(then)
			if got.Len() != want.Len() || got.Seq() != 3 || got.Head() != "h" || got.StoreID() != "s" || got.Total() != want.Total() {
				t.Errorf("len %d seq %d total %v, want len %d total %v", got.Len(), got.Seq(), got.Total(), want.Len(), want.Total())
			}
			if !slices.Equal(got.Problems(), want.Problems()) {
				t.Errorf("problems %+v, want %+v", got.Problems(), want.Problems())
			}
			if len(got.Requests()) != 1 || got.Requests()[0].ID != want.Requests()[0].ID {
				t.Errorf("requests %+v", got.Requests())
			}
			for i := range got.Len() {
				if got.Status(i) != want.Status(i) {
					t.Errorf("%s is %v, want %v", got.At(i).UID, got.Status(i), want.Status(i))
				}
			}
		})
	}
}
