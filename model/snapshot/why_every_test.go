package snapshot

import (
	"testing"

	"vespe/model"
)

// A task is held back by everything that holds it back: what comes first hides nothing.
func TestWhyNamesEveryReason(t *testing.T) {
	changed := func(t *model.Task) {
		t.Status.ChangedBecause = []model.ChangeReason{{File: "a/plan.md", Old: "sha256-1", New: "sha256-2"}, {File: "config.json", Old: "sha256-1", New: "sha256-2"}}
	}
	unread := func(t *model.Task) {
		t.Problems = append(t.Problems, model.Problem{Severity: model.Error, Reason: "no JSON"}, model.Problem{Severity: model.Warning, Reason: "odd"})
	}
	wrong := func(t *model.Task) { t.Status.ErrorDetails = "no disk" }
	planned := func(t *model.Task) { t.HasPlan = true }
	kids := func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"x"} }
	for name, c := range map[string]struct {
		task *model.Task
		want string
	}{
		"four": {node("a", inState(model.PlanDefined, planned, paused("lunch"), changed), "x", "b", "done"), `
has changed since it was accepted (plan.md of "A" and 1 more): a person must confirm that it is still valid, or ask for a new plan
is paused (lunch): resume it
waits for a person to review its plan
blocked by "X", which waits for an objective to be written
blocked by "B", which is in error: retry it
`},
		"no plan": {node("a", inState(model.ObjectiveDefined, paused("")), "x"), `
is paused: resume it
waits for a plan to be written
blocked by "X", which waits for an objective to be written
`},
		"error": {node("a", inState(model.Errored, wrong, accepted, changed, paused("hitl: which disk?")), "x"), `
is in error (no disk): retry it
has changed since it was accepted (plan.md of "A" and 1 more): a person must confirm that it is still valid, or ask for a new plan
waits for a person to answer (which disk?)
blocked by "X", which waits for an objective to be written
`},
		"error without acceptance": {node("a", inState(model.Errored, wrong, planned)), `
is in error (no disk): retry it
waits for a person to review its plan
`},
		"subtasks": {node("a", inState(model.Working, accepted, paused("subtasks"), kids), "b"), `
waits for its subtask "X", which waits for an objective to be written
blocked by "B", which is in error: retry it
`},
		"work": {node("a", inState(model.Completed, changed, paused("lunch")), "x"), `
has changed since it was accepted (plan.md of "A" and 1 more): a person must confirm that it is still valid, or ask for a new plan
is paused (lunch): resume it
waits for a person to review its work
`},
		"unread": {node("a", inState(model.PlanDefined, brokenFile, unread, paused("lunch")), "x"), `
cannot be read: bad
cannot be read: no JSON
`},
		"cycle": {node("a", inState(model.Replanned, paused("lunch")), "a2"), `
is paused (lunch): resume it
was sent back and waits for a new plan
is in a cycle: "A" → "A2" → "A"
`},
		"ready":  {node("a", inState(model.PlanDefined, accepted)), "\n"},
		"failed": {node("a", inState(model.Failed, paused("lunch")), "x"), "\n"},
	} {
		s := New(Input{Tasks: []*model.Task{
			c.task, node("a2", inState(model.Created), "a"), node("x", inState(model.Created)), node("b", inState(model.Errored)), node("done", inState(model.Completed)),
		}})
		i, _ := s.Index("a")
		why := s.Why(i)
		if got := "\n" + told(why); got != c.want {
			t.Errorf("%s:%swant:%s", name, got, c.want)
		}
		if len(why) > 0 && why[0].UID == "a" && why[0].Status != s.Status(i) {
			t.Errorf("%s: the first reason is %s, the task %s", name, why[0].Status, s.Status(i))
		}
	}
}

// A pause hides neither what was asked meanwhile nor the subtasks that are awaited: both hold the task once it is resumed.
func TestWhyLooksBehindAPause(t *testing.T) {
	kids := func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"x"} }
	ask := func(id, title, state string) model.Request {
		return model.Request{ID: id, TaskUID: "a", Kind: model.KindQuestion, Title: title, State: state}
	}
	s := New(Input{
		Tasks:    []*model.Task{node("a", inState(model.Working, accepted, paused("lunch"), kids)), node("x", inState(model.Created))},
		Requests: []model.Request{ask("r1", "which port?", model.RequestPending), ask("r2", "which disk?", model.RequestResponded), ask("r3", "which host?", model.RequestDeferred)},
	})
	i, _ := s.Index("a")
	want := `
is paused (lunch): resume it
waits for a person to answer (which port?; which host?)
waits for its subtask "X", which waits for an objective to be written
`
	if got := "\n" + told(s.Why(i)); got != want {
		t.Errorf("%swant:%s", got, want)
	}
}
