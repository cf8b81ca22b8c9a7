package snapshot

import (
	"slices"
	"testing"

	"vespe/model"
)

// What agents wait for comes before what only tasks wait for: whoever asked, and each who is at work on a
// task that waits, once.
func TestWaitingAgentsAreACostOfDelay(t *testing.T) {
	by := func(a model.Actor) func(*model.Task) { return func(t *model.Task) { t.Status.AssignedAgentUID = a } }
	kid := node("kid", inState(model.PlanDefined, since(3)))
	kid.Config.ParentUID = "parent"
	s := New(Input{
		Tasks: []*model.Task{
			node("alone", inState(model.PlanDefined, since(3))),
			node("needed", inState(model.PlanDefined, since(3))), node("after", inState(model.Created), "needed"),
			kid,
			node("parent", inState(model.Working, accepted, paused("subtasks"), by("agent:claude"), func(t *model.Task) { t.Status.SubtaskUIDs = []model.UID{"kid"} })),
			node("other", inState(model.Working, accepted, paused("hitl: x"), by("agent:other")), "parent"),
			node("idle", inState(model.Created, by("agent:idle")), "parent"),
			node("mine", inState(model.Working, accepted, paused("later"), by("human:ann")), "parent"),
			node("asking", inState(model.Working, accepted, paused("hitl: y"), by("agent:claude"))),
		},
		Requests: []model.Request{
			{ID: "r1", TaskUID: "asking", Kind: model.KindQuestion, State: model.RequestPending, Title: "asked", CreatedAt: at(3), CreatedBy: "agent:claude"},
			{ID: "r2", TaskUID: "asking", Kind: model.KindQuestion, State: model.RequestPending, Title: "by another", CreatedAt: at(3), CreatedBy: "agent:third"},
			{ID: "r3", Kind: model.KindQuestion, State: model.RequestPending, Title: "of a person", CreatedAt: at(3), CreatedBy: "human:ann"},
			{ID: "r4", Kind: model.KindQuestion, State: model.RequestPending, Title: "of nothing", CreatedAt: at(3), CreatedBy: "agent:claude"},
		},
	})
	got, order := map[string]int{}, []string{}
	for _, item := range s.Inbox() {
		got[item.Title] = item.Agents
		order = append(order, item.Title)
	}
	for title, want := range map[string]int{"KID": 2, "NEEDED": 0, "ALONE": 0, "asked": 1, "by another": 2, "of a person": 0, "of nothing": 1} {
		if got[title] != want {
			t.Errorf("%d agents wait for %q, want %d", got[title], title, want)
		}
	}
	if plans, want := order[len(order)-3:], []string{"KID", "NEEDED", "ALONE"}; order[0] != "by another" || !slices.Equal(plans, want) {
		t.Errorf("the order is %q, want \"by another\" first and %q last", order, want)
	}
}
