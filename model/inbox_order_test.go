package model

import (
	"slices"
	"testing"
)

// The order of a group is that of the numbers beside it: how many tasks wait, and then priority and age. Only what agents
// stand still for goes before.
func TestTheInboxIsInTheOrderOfItsNumbers(t *testing.T) {
	s := NewSnapshot(Input{
		Tasks: []*Task{
			node("old", inState(PlanDefined, since(1))),
			node("new", inState(PlanDefined, since(9))),
			node("urgent", inState(PlanDefined, since(9), func(t *Task) { t.Spec = &Spec{Priority: Critical} })),
			node("needed", inState(PlanDefined, since(9))), node("after", inState(Created), "needed"), node("then", inState(Created), "after"),
			node("wanted", inState(PlanDefined, since(1))), node("next", inState(Created), "wanted"),
			node("idle", inState(Working, accepted, paused("hitl: x"))), node("a", inState(Created), "idle"), node("b", inState(Created), "idle"),
			node("held", inState(Working, accepted, paused("hitl: x"))),
		},
		Requests: []Request{
			{ID: "r1", TaskUID: "idle", Kind: KindQuestion, State: RequestPending, Title: "of a person", CreatedAt: at(1), CreatedBy: "human:ann"},
			{ID: "r2", TaskUID: "held", Kind: KindQuestion, State: RequestPending, Title: "of an agent", CreatedAt: at(9), CreatedBy: "agent:claude"},
		},
	})
	var order []string
	for _, item := range s.Inbox() {
		order = append(order, item.Title)
	}
	if want := []string{"of an agent", "of a person", "NEEDED", "WANTED", "URGENT", "OLD", "NEW"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}
