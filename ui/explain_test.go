package ui_test

import (
	"strings"
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
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
	do(model.Op{Name: model.CreateTask, Actor: uitest.Ann, Args: model.NewTask{UID: first, Name: "the first", Objective: "x"}})
	do(model.Op{Name: model.DefinePlan, UID: first, Actor: uitest.Robot, Args: model.NewPlan{Text: "p"}})
	do(model.Op{
		Name: model.CreateTask, Actor: uitest.Ann,
		Args: model.NewTask{UID: second, Name: "the second", Objective: "x", DependsOn: []model.UID{first}},
	})
	do(model.Op{Name: model.DefinePlan, UID: second, Actor: uitest.Robot, Args: model.NewPlan{Text: "p"}})
	do(model.Op{Name: model.AcceptPlan, UID: second, Actor: uitest.Ann})
	return s
}

func TestWhyAndImpactHavePages(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: 100, H: 40}, func(d *uitest.Driver) {
		goTo(d, "the first")
		d.Press(keymap.Impact).See(
			"Impact: the first", "unfinished tasks that wait for it: 1", "If its plan is accepted", "it becomes ready",
			"If its work is completed, once it is worked on", "the second becomes ready",
			"If it fails for good", `the second could then never be completed`,
		)
		d.Press(keymap.PagerClose).Hidden("Impact: the first")
		d.Press(keymap.Why).See("Why: the first", "it waits for a person to review its plan", "it takes about 1m by its complexity")
		d.Press(keymap.PagerClose)
		goTo(d, "the second")
		d.Press(keymap.Why).See(`blocked by "the first"`, "it can end in 2m at the earliest")
		d.Press(keymap.PagerClose).Hidden("Why: the second")
		d.Press(keymap.Check).See(`Checked "the second": nothing has changed`).Hidden("Cancel")
		d.Press(keymap.Abort).Type("not needed").Press(keymap.PromptSubmit, keymap.Why).See("Status: Aborted", "it was aborted, and waits for nothing")
	})
}

// Rows of such a page that name a task lead there, and the way back leads here.
func TestWhyAndImpactLeadToTheTasksThatTheyName(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 12}} {
		uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: size[0], H: size[1]}, func(d *uitest.Driver) {
			goTo(d, "the second")
			d.Press(keymap.Why).See("Why: the second", "enter go to the task", "▌").Press(keymap.PageOpen).Hidden("Why: the second")
			cursorOn(d, "the first")
			d.Press(keymap.JumpBack)
			cursorOn(d, "the second")
			goTo(d, "the first")
			d.Press(keymap.Impact)
			for range 40 { // past the rows that name none
				d.Press(keymap.MoveDown)
			}
			d.See("the second could then never be completed").Press(keymap.MoveTop, keymap.MoveBottom, keymap.PageOpen).Hidden("Impact: the first")
			cursorOn(d, "the second")
			d.Press(keymap.JumpBack, keymap.Why).See("Why: the first").Hidden("go to the task")
			d.Press(keymap.PageOpen).Hidden("Why: the first")
			cursorOn(d, "the first")
		})
	}
}

// The sheet for an end says what can never be done then, and what becomes of the time for all.
func TestASheetSaysWhatFollows(t *testing.T) {
	uitest.Run(t, uitest.Options{Store: waitsForPlan(t), W: 110, H: 40}, func(d *uitest.Driver) {
		goTo(d, "the first")
		d.Press(keymap.Abort).See(`"the second": could then never be completed`, "a person is asked", "Then no work is left that can be done")
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

// cursorOn checks which task the cursor is on, as the header has it.
func cursorOn(d *uitest.Driver, name string) {
	d.T.Helper()
	if !strings.Contains(d.Line(0), name) {
		d.T.Errorf("the cursor is not on %q:\n%s", name, d.Screen())
	}
}
