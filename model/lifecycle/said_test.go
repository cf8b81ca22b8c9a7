package lifecycle

import (
	"testing"

	"vespe/model"
)

func TestLastSaid(t *testing.T) {
	var plan int
	event := func(name model.Name, reason string, details ...model.ExtraField) model.Event {
		return model.Event{Name: name, Actor: "human:ann", Reason: reason, Details: details}
	}
	planned := func() model.Event {
		plan++
		return event(model.DefinePlan, "", model.ExtraField{Key: "revision", Value: []byte{byte('0' + plan)}})
	}
	no, undo := event(model.RejectPlan, "no"), event(model.UndoVerdict, "", model.TextField("transition", string(model.AcceptPlan)))
	robot := event(model.Replan, "fine now")
	robot.Actor = "agent:ann"
	for name, tt := range map[string]struct {
		events []model.Event
		at     int // the revision on screen
		want   string
	}{
		"nothing":                {nil, 1, ""},
		"an earlier revision":    {[]model.Event{planned(), no, planned()}, 2, "ann rejected revision 1: no"},
		"the one on screen":      {[]model.Event{planned(), no}, 3, "ann: no"},
		"taken back":             {[]model.Event{no, planned(), event(model.AcceptPlan, "fine"), undo}, 4, "ann: no"},
		"an answer taken back":   {[]model.Event{no, event(model.UndoVerdict, "", model.TextField("request", "req-1"))}, 4, "ann: no"},
		"a later one says less":  {[]model.Event{no, planned(), event(model.AcceptPlan, "")}, 5, ""},
		"a question":             {[]model.Event{no, event(model.QuestionPlan, "why?")}, 5, ""},
		"an answer to a request": {[]model.Event{no, event(model.AnswerRequest, "80")}, 5, "ann: no"},
		"set off by another":     {[]model.Event{no, {Name: model.Replan, Reason: "below", Cause: "tsk-a"}}, 5, "ann: no"},
		"another plan":           {[]model.Event{no, event(model.Replan, "wrong files")}, 5, "ann asked for a new plan: wrong files"},
		"another plan, an agent": {[]model.Event{robot}, 5, "ann (agent) asked for a new plan: fine now"},
		"a decomposition undone": {[]model.Event{no, planned(), event(model.AcceptPlan, ""), event(model.UndoVerdict, "", model.TextField("transition", string(model.Decompose)))}, 5, ""},
		"work":                   {[]model.Event{event(model.ReviewRejected, "no tests")}, 5, "ann sent the work back: no tests"},
	} {
		got := ""
		if said, ok := LastSaid(tt.events); ok {
			got = said.Words(tt.at) + ": " + said.Reason
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
