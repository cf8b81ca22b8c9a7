package ui_test

import (
	"testing"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/uitest"
)

// waitsForPlan is a store in which one task waits for another, whose plan waits to be reviewed.
func waitsForPlan(t *testing.T) *uitest.Store {
	t.Helper()
	s := uitest.NewStore()
	do := func(op model.Op) {
		t.Helper()
		if _, err := s.Do(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	first, second := s.NewUID(), s.NewUID()
	do(model.Op{Name: model.CreateTask, Actor: uitest.Ann, New: &model.NewTask{UID: first, Name: "the first", Objective: "x"}})
	do(model.Op{Name: model.DefinePlan, UID: first, Actor: uitest.Robot, Text: "p"})
	do(model.Op{
		Name: model.CreateTask, Actor: uitest.Ann,
		New: &model.NewTask{UID: second, Name: "the second", Objective: "x", DependsOn: []model.UID{first}},
	})
	do(model.Op{Name: model.DefinePlan, UID: second, Actor: uitest.Robot, Text: "p"})
	do(model.Op{Name: model.AcceptPlan, UID: second, Actor: uitest.Ann})
	return s
}

func TestWhyAndImpactHavePages(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: 100, H: 40}, func(d *uitest.Driver) {
		goTo(d, "the first")
		d.Press(keymap.Impact).See(
			"Impact: the first", "1 unfinished task waits for it in all", "If its plan is accepted", "it becomes ready",
			"If its work is completed, once it is worked on", "the second becomes ready",
			"If it fails for good", `"the second": can never be completed then`,
		)
		d.Press(keymap.PagerClose).Hidden("Impact: the first")
		d.Press(keymap.Why).See("Why: the first", "it waits for a person to review its plan", "it takes about 1m by its complexity")
		d.Press(keymap.PagerClose)
		goTo(d, "the second")
		d.Press(keymap.Why).See(`blocked by "the first"`, "it can end in 2m at the earliest")
		d.Press(keymap.PagerClose).Hidden("Why: the second")
		d.Press(keymap.Check).See(`Checked "the second": nothing has changed`).Hidden("Cancel")
		d.Press(keymap.Abort).Type("not needed").Press(keymap.PromptSubmit, keymap.Why).See("Status: aborted", "it was aborted, and waits for nothing")
	})
}

// The sheet for an end says what can never be done then, and what becomes of the time for all.
func TestASheetSaysWhatFollows(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: 110, H: 40}, func(d *uitest.Driver) {
		goTo(d, "the first")
		d.Press(keymap.Abort).See(`"the second": can never be completed then`, "a person is asked", "Nothing that can be done is left then")
		d.Key("esc")
		d.Press(keymap.Replan).See("Replan").Hidden("can never be completed")
	})
}

// What an event is refused for is said in words, not by the name of the transition.
func TestImpactSaysWhyNot(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: uitest.NewSmall().Store, W: 140, H: 40}, func(d *uitest.Driver) {
		goTo(d, "Build the parser")
		d.Press(keymap.Impact).See("it cannot be done now: 3 subtasks are still open").Hidden("work_completed")
	})
}
