package model

import "testing"

func TestLastSaid(t *testing.T) {
	var plan int
	event := func(name Name, reason string, details ...ExtraField) Event {
		return Event{Name: name, Actor: "human:ann", Reason: reason, Details: details}
	}
	planned := func() Event {
		plan++
		return event(DefinePlan, "", ExtraField{Key: "revision", Value: []byte{byte('0' + plan)}})
	}
	no, undo := event(RejectPlan, "no"), event(UndoVerdict, "")
	for name, tt := range map[string]struct {
		events []Event
		at     int // the revision on screen
		want   string
	}{
		"nothing":                {nil, 1, ""},
		"an earlier revision":    {[]Event{planned(), no, planned()}, 2, "ann rejected revision 1: no"},
		"the one on screen":      {[]Event{planned(), no}, 3, "ann: no"},
		"taken back":             {[]Event{no, planned(), event(AcceptPlan, "fine"), undo}, 4, "ann: no"},
		"an answer taken back":   {[]Event{no, event(UndoVerdict, "", TextField("request", "req-1"))}, 4, "ann: no"},
		"a later one says less":  {[]Event{no, planned(), event(AcceptPlan, "")}, 5, ""},
		"a question":             {[]Event{no, event(QuestionPlan, "why?")}, 5, ""},
		"an answer to a request": {[]Event{no, event(AnswerRequest, "80")}, 5, "ann: no"},
		"set off by another":     {[]Event{no, {Name: Replan, Reason: "below", Cause: "tsk-a"}}, 5, "ann: no"},
		"another plan":           {[]Event{no, event(Replan, "wrong files")}, 5, "ann asked for a new plan: wrong files"},
		"work":                   {[]Event{event(ReviewRejected, "no tests")}, 5, "ann sent the work back: no tests"},
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
