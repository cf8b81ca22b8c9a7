package model

import "testing"

func TestParseState(t *testing.T) {
	type flags struct{ paused, changed, accepted bool }
	type row struct {
		state     State
		flags     flags
		spellings []string
	}
	rows := []row{
		{Created, flags{}, []string{"created", "Created", "CREATED"}},
		{ObjectiveDefined, flags{}, []string{"objective_defined", "ObjectiveDefined", "OBJECTIVE_DEFINED", "objective-defined", "objective defined"}},
		{PlanDefined, flags{}, []string{"plan_defined", "PlanDefined", "PLAN_DEFINED", "planDefined", " plan_defined "}},
		{Working, flags{}, []string{"working", "Working", "WORKING"}},
		{Errored, flags{}, []string{"error", "Error", "ERROR"}},
		{Failed, flags{}, []string{"failed", "Failed", "FAILED"}},
		{Completed, flags{}, []string{"completed", "Completed", "COMPLETED"}},
		{Replanned, flags{}, []string{"replanned", "Replanned", "REPLANNED"}},
		{Aborted, flags{}, []string{"aborted", "Aborted", "ABORTED"}},

		{ObjectiveDefined, flags{}, []string{"planning", "Planning", "PLANNING"}},
		{PlanDefined, flags{accepted: true}, []string{"ready", "Ready", "READY", "blocked", "Blocked", "BLOCKED"}},
		{Working, flags{}, []string{"started", "Started", "STARTED"}},
		{Working, flags{paused: true}, []string{"paused", "Paused", "PAUSED"}},
		{PlanDefined, flags{changed: true}, []string{"changed", "Changed", "CHANGED"}},
		{Completed, flags{}, []string{"done", "Done", "DONE"}},
	}
	for _, r := range rows {
		for _, s := range r.spellings {
			st, paused, changed, accepted, ok := ParseState(s)
			if !ok || st != r.state || (flags{paused, changed, accepted}) != r.flags {
				t.Errorf("ParseState(%q) = %q %v %v %v %v", s, st, paused, changed, accepted, ok)
			}
		}
	}
	for _, s := range []string{"", " ", "cooking", "plan", "defined", "créated", "doneé", "null"} {
		st, paused, changed, accepted, ok := ParseState(s)
		if ok || st != "" || paused || changed || accepted {
			t.Errorf("ParseState(%q) = %q %v %v %v %v", s, st, paused, changed, accepted, ok)
		}
	}
}
