package taskmap

import (
	"fmt"

	"pgregory.net/rapid"

	"vespe/model"
)

// node is a task in a state, with dependencies.
func node(uid model.UID, edit func(*model.Task), on ...model.UID) *model.Task {
	t := &model.Task{UID: uid, Config: model.Config{UID: uid, Name: string(uid)}, DependsOn: on}
	edit(t)
	return t
}

func accepted(t *model.Task) { t.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1} }

func inState(s model.State, more ...func(*model.Task)) func(*model.Task) {
	return func(t *model.Task) {
		t.Status.CurrentState = s
		t.HasObjective = s != model.Created
		t.HasPlan = s == model.PlanDefined || s == model.Working || s == model.Completed
		for _, f := range more {
			f(t)
		}
	}
}

func paused(why string) func(*model.Task) {
	return func(t *model.Task) { t.Status.IsPaused, t.Status.PauseReason = true, why }
}

// genInput draws a store of a few tasks that depend on each other and lie below each other, whether that is sound or not.
func genInput(rt *rapid.T) model.Input {
	var in model.Input
	uid := func(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%02d", i)) }
	n := rapid.IntRange(0, 12).Draw(rt, "tasks")
	any := rapid.IntRange(0, n) // the last is never there
	for i := range n {
		t := node(uid(i), inState(rapid.SampledFrom([]model.State{model.Created, model.PlanDefined, model.PlanDefined, model.Working, model.Completed, model.Failed, model.Aborted}).Draw(rt, "state")))
		if rapid.Bool().Draw(rt, "accepted") {
			accepted(t)
		}
		if rapid.Bool().Draw(rt, "child") {
			t.Config.ParentUID = uid(any.Draw(rt, "parent"))
		}
		for range rapid.IntRange(0, 3).Draw(rt, "deps") {
			t.DependsOn = append(t.DependsOn, uid(any.Draw(rt, "dep")))
		}
		in.Tasks = append(in.Tasks, t)
	}
	return in
}
