package store

import (
	"strings"
	"testing"

	"vespe/model"
)

// An event says which texts it recorded: without that a merge leaves out a plan that another clone wrote.
func TestEventsNameTheTextsTheyRecorded(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	do(t, s, model.Op{Name: model.DefinePlan, UID: uid, Actor: robot, Args: model.NewPlan{Text: "two\n"}})
	events := eventsOf(t, s, uid)
	said := ""
	for _, e := range events {
		said += string(e.Patch)
	}
	if want := `"plan":"` + model.HashBytes([]byte("two\n")) + `"`; !strings.Contains(said, want) {
		t.Errorf("no event has %s: %s", want, said)
	}
}
