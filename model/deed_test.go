package model_test

import (
	"testing"

	"vespe/model"
)

func TestDeeds(t *testing.T) {
	for _, c := range []struct {
		deed     model.Deed
		do, done string
	}{
		{model.AcceptPlan.Deed(`"A"`), `accept the plan of "A"`, `Accepted the plan of "A"`},
		{model.WorkCompleted.Deed(`"A"`), `complete "A"`, `Completed "A"`},
		{model.ReviewAccepted.Deed(`"A"`), `accept the work on "A"`, `Accepted the work on "A"`},
		{model.DeferPlan.Deed(`"A"`), `defer the plan of "A"`, `Deferred the plan of "A"`},
		{model.Replan.Deed(`"A"`), `ask for a new plan for "A"`, `Asked for a new plan for "A"`},
		{model.RaiseError.Deed(`"A"`), `report an error in "A"`, `Reported an error in "A"`},
		{model.StopRun.Deed(`"A"`), `stop the run of "A"`, `Stopped the run of "A"`},
		{model.Retry.Deed(`"A"`), `retry "A"`, `Retried "A"`},
		{model.DecideEdit.Deed(`"Deploy?"`), `approve "Deploy?" with changes`, `Approved "Deploy?" with changes`},
		{model.DecideDeny.Deed(`"Deploy?"`), `deny "Deploy?"`, `Denied "Deploy?"`},
		{model.Deed{Verb: "choose", Object: `"80" for "Which port?"`}, `choose "80" for "Which port?"`, `Chose "80" for "Which port?"`},
		{model.Deed{Verb: "undo", Object: "the verdict"}, "undo the verdict", "Undid the verdict"},
		{model.Deed{Object: `"A" appeared`}, `"A" appeared`, `"A" appeared`},
		{model.Deed{Object: "progress: 5"}, "progress: 5", "Progress: 5"},
		{model.Deed{Object: `plan.md of "A": edited`}, `plan.md of "A": edited`, `plan.md of "A": edited`},
	} {
		if do, done := c.deed.Do(), c.deed.Done(); do != c.do || done != c.done {
			t.Errorf("%q and %q, want %q and %q", do, done, c.do, c.done)
		}
	}
	for name, want := range map[model.Name]string{
		model.AcceptPlan: "Accepted plan", model.CreateTask: "Created", model.Ask: "Asked", model.Retry: "Retried",
		model.RenameTask: "Renamed", model.Replan: "Asked for a new plan", model.UndoVerdict: "Undid verdict", "agent_said": "Agent said",
	} {
		if got := name.Past(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if said := model.AcceptPlan.Did(); said != "Accepted the plan" {
		t.Errorf("%q", said)
	}
}
