package history

import (
	"strings"
	"testing"

	"vespe/model"
)

// A journal keeps what a row says, and of a long reason more.
func TestAJournalKeepsWhatRowsSay(t *testing.T) {
	long := strings.Repeat("no way back ", 50)
	events := []model.Event{
		{Name: model.AnswerRequest, Summary: `answer a request of "A"`, Details: []model.ExtraField{
			model.TextField("title", "Which port?"), model.TextField("decision", "respond"), model.TextField("text", "take\n8080"),
		}},
		{Name: model.Ask, Summary: `ask about "A"`, Details: []model.ExtraField{model.TextField("title", "Which port?")}},
		{Name: model.RejectPlan, Summary: `reject plan of "A"`, Reason: long},
		{Name: model.RenameTask, Summary: `rename "A" to "B"`, Reason: "shorter"},
	}
	c := NewChronicle("a", events)
	for i, want := range []string{`"Which port?": take 8080`, "Which port?", long, "shorter"} {
		if m := &c.Moments[i]; m.Summary != events[i].Summary || m.Reason != want {
			t.Errorf("of %s it keeps %q and %q, want %q", m.Name(), m.Summary, m.Reason, want)
		}
	}
}

// A decomposition that is taken back leaves the acceptance as it is, by its name and by those of older logs.
func TestADecompositionByAnyName(t *testing.T) {
	for _, name := range []model.Name{model.Decompose, "split", "break_down"} {
		if !IsEvent(name) {
			t.Errorf("%s is no event", name)
		}
		undo := ev(3, model.UndoVerdict, model.Working, "human:ann")
		undo.Details = []model.ExtraField{model.TextField("transition", string(name))}
		c := NewChronicle("a", []model.Event{ev(1, model.AcceptPlan, model.Working, "human:ann"), ev(2, name, model.Working, "human:ann"), undo})
		for i := range c.Moments {
			if c.Moments[i].Undone {
				t.Errorf("taking back %s marks %s", name, c.Moments[i].Name())
			}
		}
		life := &Life{}
		life.Status.AcceptedPlan = &model.AcceptedPlan{PlanRevision: 1}
		if life.takeBack(&undo); life.Status.AcceptedPlan == nil {
			t.Errorf("taking back %s takes the acceptance away", name)
		}
	}
}
