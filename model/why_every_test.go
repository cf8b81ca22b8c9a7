package model

import (
	"testing"
)

// A task is held back by everything that holds it back: what comes first hides nothing.
func TestWhyNamesEveryReason(t *testing.T) {
	changed := func(t *Task) {
		t.Status.ChangedBecause = []ChangeReason{{File: "a/plan.md", Old: "sha256-1", New: "sha256-2"}, {File: "config.json", Old: "sha256-1", New: "sha256-2"}}
	}
	unread := func(t *Task) {
		t.Problems = append(t.Problems, Problem{Severity: Error, Reason: "no JSON"}, Problem{Severity: Warning, Reason: "odd"})
	}
	wrong := func(t *Task) { t.Status.ErrorDetails = "no disk" }
	planned := func(t *Task) { t.HasPlan = true }
	kids := func(t *Task) { t.Status.SubtaskUIDs = []UID{"x"} }
	for name, c := range map[string]struct {
		task *Task
		want string
	}{
		"four": {node("a", inState(PlanDefined, planned, paused("lunch"), changed), "x", "b", "done"), `
has changed since it was accepted (plan.md of "A" and 1 more): a person must revalidate or replan it
is paused (lunch): resume it
waits for a person to review its plan
blocked by "X", which waits for an objective to be written
blocked by "B", which is in error: retry it
`},
		"no plan": {node("a", inState(ObjectiveDefined, paused("")), "x"), `
is paused: resume it
waits for a plan to be written
blocked by "X", which waits for an objective to be written
`},
		"error": {node("a", inState(Errored, wrong, accepted, changed, paused("hitl: which disk?")), "x"), `
is in error (no disk): retry it
has changed since it was accepted (plan.md of "A" and 1 more): a person must revalidate or replan it
waits for a person to answer (which disk?)
blocked by "X", which waits for an objective to be written
`},
		"error without acceptance": {node("a", inState(Errored, wrong, planned)), `
is in error (no disk): retry it
waits for a person to review its plan
`},
		"subtasks": {node("a", inState(Working, accepted, paused("subtasks"), kids), "b"), `
waits for its subtask "X", which waits for an objective to be written
blocked by "B", which is in error: retry it
`},
		"work": {node("a", inState(Completed, changed, paused("lunch")), "x"), `
has changed since it was accepted (plan.md of "A" and 1 more): a person must revalidate or replan it
is paused (lunch): resume it
waits for a person to review its work
`},
		"unread": {node("a", inState(PlanDefined, brokenFile, unread, paused("lunch")), "x"), `
cannot be read: bad
cannot be read: no JSON
`},
		"cycle": {node("a", inState(Replanned, paused("lunch")), "a2"), `
is paused (lunch): resume it
was sent back and waits for a new plan
in a cycle: "A" → "A2" → "A"
`},
		"ready":  {node("a", inState(PlanDefined, accepted)), "\n"},
		"failed": {node("a", inState(Failed, paused("lunch")), "x"), "\n"},
	} {
		s := NewSnapshot(Input{Tasks: []*Task{
			c.task, node("a2", inState(Created), "a"), node("x", inState(Created)), node("b", inState(Errored)), node("done", inState(Completed)),
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
	kids := func(t *Task) { t.Status.SubtaskUIDs = []UID{"x"} }
	ask := func(id, title, state string) Request {
		return Request{ID: id, TaskUID: "a", Kind: KindQuestion, Title: title, State: state}
	}
	s := NewSnapshot(Input{
		Tasks:    []*Task{node("a", inState(Working, accepted, paused("lunch"), kids)), node("x", inState(Created))},
		Requests: []Request{ask("r1", "which port?", RequestPending), ask("r2", "which disk?", RequestResponded), ask("r3", "which host?", RequestDeferred)},
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
