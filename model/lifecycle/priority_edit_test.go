package lifecycle_test

import (
	"testing"

	"vespe/model"
)

// A priority that somebody gave while the rules were asked stays: what they say comes too late.
func TestRulesLeaveAGivenPriorityAlone(t *testing.T) {
	d := newDesk(t)
	uid := d.create("one", "")
	rule := func(p model.Priority) *model.Change {
		return d.do(model.Op{Name: model.Prioritize, UID: uid, Actor: vespe, Args: model.PriorityBy{Priority: p, Rule: "default"}})
	}
	rule(model.High)
	if sp := d.task(uid).Spec; sp.Priority != model.High || sp.RuledPriority() != "default" {
		t.Errorf("by the rules: %+v", sp)
	}
	d.do(model.Op{Name: model.SetFields, UID: uid, Args: model.FieldEdit{Set: []model.Assignment{{Key: "priority", Value: "low"}}}})
	if c := rule(model.Critical); len(c.Tasks) > 0 {
		t.Errorf("%s", c.Summary)
	}
	if sp := d.task(uid).Spec; sp.Priority != model.Low || !sp.GivenPriority() {
		t.Errorf("given, and then: %+v", sp)
	}
}
