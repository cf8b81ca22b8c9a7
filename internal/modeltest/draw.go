package modeltest

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
)

// Node is a task named like its uid, in upper case, that edit puts into a state, with dependencies.
func Node(uid model.UID, edit func(*model.Task), on ...model.UID) *model.Task {
	t := &model.Task{UID: uid, Config: model.Config{UID: uid, Name: strings.ToUpper(string(uid))}, DependsOn: on}
	edit(t)
	return t
}

// Accepted has the plan of a task accepted.
func Accepted(t *model.Task) { t.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1} }

// InState puts a task into a state, with the documents that it has then.
func InState(s model.State, more ...func(*model.Task)) func(*model.Task) {
	return func(t *model.Task) {
		t.Status.CurrentState = s
		t.HasObjective = s != model.Created
		t.HasPlan = s == model.PlanDefined || s == model.Working || s == model.Completed
		for _, f := range more {
			f(t)
		}
	}
}

// Paused pauses a task.
func Paused(why string) func(*model.Task) {
	return func(t *model.Task) { t.Status.IsPaused, t.Status.PauseReason = true, why }
}

// Running has a task worked on.
func Running(t *model.Task) { t.Status.CurrentRun = "run-1" }

// Takes lets a task take so many seconds.
func Takes(seconds int) func(*model.Task) {
	return func(t *model.Task) { t.Status.Runs, t.Status.RunSeconds = 1, seconds }
}

// drawn are the states that Draw draws from: those that dependencies turn on more than once.
var drawn = []model.State{
	model.Created, model.PlanDefined, model.PlanDefined, model.Working, model.Completed, model.Completed, model.Errored,
	model.Failed, model.Replanned, model.Aborted,
}

// Draw draws a store of a few tasks that depend on each other and lie below each other, whether that is sound or not.
func Draw(rt *rapid.T) snapshot.Input {
	var in snapshot.Input
	uid := func(i int) model.UID { return model.UID(fmt.Sprintf("tsk-%02d", i)) }
	n := rapid.IntRange(0, 12).Draw(rt, "tasks")
	any := rapid.IntRange(0, n) // the last is never there
	for i := range n {
		t := Node(uid(i), InState(rapid.SampledFrom(drawn).Draw(rt, "state")))
		t.HasStatus = true
		rarely := func(what string) bool { return rapid.IntRange(0, 7).Draw(rt, what) == 7 }
		if rapid.Bool().Draw(rt, "accepted") {
			Accepted(t)
		}
		if rapid.Bool().Draw(rt, "running") {
			Running(t)
		}
		if rarely("paused") {
			Paused(rapid.SampledFrom([]string{"", "subtasks", "hitl: which?", "lunch", "excluded: not now"}).Draw(rt, "why"))(t)
			t.Status.SubtaskUIDs = []model.UID{uid(any.Draw(rt, "subtask"))}
		}
		if rarely("changed") {
			t.Status.ChangedBecause = []model.ChangeReason{{File: "plan.md"}}
		}
		if rarely("problem") {
			t.Problems = []model.Problem{{UID: t.UID, Code: "bad-json", Severity: rapid.SampledFrom([]model.Severity{model.Warning, model.Error}).Draw(rt, "severity")}}
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
