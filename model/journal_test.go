package model

import (
	"strings"
	"testing"
)

// A journal keeps what a row says, and of a long reason more.
func TestAJournalKeepsWhatRowsSay(t *testing.T) {
	long := strings.Repeat("no way back ", 50)
	events := []Event{
		{Name: AnswerRequest, Summary: `answer a request of "A"`, Details: []ExtraField{
			TextField("title", "Which port?"), TextField("decision", "respond"), TextField("text", "take\n8080"),
		}},
		{Name: Ask, Summary: `ask about "A"`, Details: []ExtraField{TextField("title", "Which port?")}},
		{Name: RejectPlan, Summary: `reject plan of "A"`, Reason: long},
		{Name: RenameTask, Summary: `rename "A" to "B"`, Reason: "shorter"},
	}
	c := NewChronicle("a", events)
	for i, want := range []string{`"Which port?": take 8080`, "Which port?", long, "shorter"} {
		if m := &c.Moments[i]; m.Summary != events[i].Summary || m.Reason != want {
			t.Errorf("of %s it keeps %q and %q, want %q", m.Name(), m.Summary, m.Reason, want)
		}
	}
}
