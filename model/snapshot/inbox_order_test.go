package snapshot

import (
	"slices"
	"testing"

	"vespe/model"
)

// The order of a group is that of what stands beside it: how many tasks wait, and then risk, priority and age. Only what agents
// stand still for goes before.
func TestTheInboxIsInTheOrderOfItsNumbers(t *testing.T) {
	s := New(Input{
		Tasks: []*model.Task{
			node("old", inState(model.PlanDefined, since(1))),
			node("new", inState(model.PlanDefined, since(9))),
			node("urgent", inState(model.PlanDefined, since(9), func(t *model.Task) { t.Spec = &model.Spec{Priority: model.Critical} })),
			node("needed", inState(model.PlanDefined, since(9))), node("after", inState(model.Created), "needed"), node("then", inState(model.Created), "after"),
			node("wanted", inState(model.PlanDefined, since(1))), node("next", inState(model.Created), "wanted"),
			node("idle", inState(model.Working, accepted, paused("hitl: x"))), node("a", inState(model.Created), "idle"), node("b", inState(model.Created), "idle"),
			node("held", inState(model.Working, accepted, paused("hitl: x"))),
		},
		Requests: []model.Request{
			{ID: "r1", TaskUID: "idle", Kind: model.KindQuestion, State: model.RequestPending, Title: "of a person", CreatedAt: at(1), CreatedBy: "human:ann"},
			{ID: "r3", TaskUID: "held", Kind: model.KindQuestion, State: model.RequestPending, Title: "low", CreatedAt: at(1), CreatedBy: "agent:claude", Risk: model.RiskLow},
			{ID: "r4", TaskUID: "held", Kind: model.KindQuestion, State: model.RequestPending, Title: "high", CreatedAt: at(9), CreatedBy: "agent:claude", Risk: model.RiskHigh},
			{ID: "r2", TaskUID: "held", Kind: model.KindQuestion, State: model.RequestPending, Title: "of an agent", CreatedAt: at(9), CreatedBy: "agent:claude"},
		},
	})
	var order []string
	for _, item := range s.Inbox() {
		order = append(order, item.Title)
	}
	if want := []string{"high", "of an agent", "low", "of a person", "NEEDED", "WANTED", "URGENT", "OLD", "NEW"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q, want %q", order, want)
	}
}
