package ui_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// The activity shows what others do while it is looked at, and the cursor stays on its event.
func TestTheActivityFollows(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 200, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory).See("Defined plan", "lexer tokens", "Completed work", "grammar notes")
		d.Press(keymap.MoveBottom)
		was := d.Line(0)
		s.Must(model.Op{Name: model.RenameTask, UID: s.Plan, Args: model.NewName{Name: "tokens of the lexer"}, Actor: uitest.Robot})
		d.Sleep(3*time.Second).See("Rename", "tokens of the lexer")
		if d.Line(0) != was {
			t.Errorf("the cursor went from %q to %q", was, d.Line(0))
		}
		d.Press(keymap.MoveTop, keymap.Open).See("Defined objective")
	})
}

// What happens to milestones is of no task, and is there all the same.
func TestTheActivityShowsMilestones(t *testing.T) {
	s := uitest.NewSmall()
	name, later := "First: a beta", "Beta"
	s.Must(model.Op{Name: model.CreateMilestone, Args: model.MilestoneEdit{ID: "M1", Name: &name}, Actor: uitest.Ann})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory).See("Created milestone First: a beta").Press(keymap.MoveTop).See("pending", "0 of 0", "M1")
		s.Must(model.Op{Name: model.EditMilestone, Args: model.MilestoneEdit{ID: "M1", Name: &later}, Actor: uitest.Robot})
		d.Sleep(3 * time.Second).See("Edited milestone Beta  Changed: name")
		d.Press(keymap.MoveTop, keymap.Open, keymap.FeedKind).See("tasks and milestones").Type("verdict").Press(keymap.PickerChoose).Hidden("Edited milestone")
	})
}

func TestTheActivityIsNarrowed(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 200, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory, keymap.FeedActor).See("everybody", "robot", "people").Type("robot").Press(keymap.PickerChoose)
		d.See("by robot").Hidden("▷ Accepted plan")
		d.Press(keymap.FeedKind).See("verdicts and comments on plans and work").Type("work").Press(keymap.PickerChoose)
		d.See("only: work by robot", "Completed work").Resize(100, 30).See("only: work by robot").Hidden("◇ Defined plan")
		d.Press(keymap.Back).See("Defined plan", "Accepted plan").Hidden("by robot")
		d.Press(keymap.FilterStart).Type("grammar").Press(keymap.PromptSubmit).See("grammar notes").Hidden("fuzz targets")
		d.Press(keymap.Back, keymap.FilterStart).Type("release").Press(keymap.PromptSubmit, keymap.FeedKind).Type("work").Press(keymap.PickerChoose)
		d.See(`Nothing of the kind "work" was done`, `in tasks that match the filter.`, "esc clears the filter").Press(keymap.Back).See("Completed work").Hidden("match the filter")
	})
}

// That it could not be read is said, and the next reading takes it back.
func TestTheActivityThatCannotBeRead(t *testing.T) {
	s := uitest.NewSmall()
	broken := true
	s.FailWith(func(method string) error {
		if method == "Journal" && broken {
			return errors.New("the disk is away")
		}
		return nil
	})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory).See("Can't read the history", "the disk is away")
		broken = false
		d.Press(keymap.Back, keymap.ViewTree, keymap.ViewHistory).See("Completed work").Hidden("the disk is away")
	})
}

// The history may be read when a task has just been created, before the tasks are.
func TestTheActivityOfATaskThatIsNotReadYet(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Robot, Args: model.NewTask{Name: "foreign", Parent: s.Root, Objective: "x\n"}})
		d.Press(keymap.ViewHistory, keymap.MoveTop).See("Defined objective tsk-", "No task is selected")
		d.Sleep(3 * time.Second).See("Defined objective foreign").Hidden("No task is selected")
	})
}

// What an event changed is shown where the events of all tasks are, as on the history of one.
func TestTheActivityShowsWhatAnEventChanged(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory, keymap.MoveTop).See("Defined objective").Off(keymap.Diff, "this event changed no text")
		d.Press(keymap.MoveDown, keymap.MoveDown, keymap.Diff).See("Plan of release", "+ revision 1").Press(keymap.Back)
	})
}

// A verdict that the footer offers beside an old event is one on the task as it is now.
func TestTheHistoryOffersVerdictsOnTheTaskNow(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 200, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewHistory, keymap.FilterStart).Type("lexer").Press(keymap.PromptSubmit, keymap.MoveTop)
		if line := d.Line(39); !strings.HasPrefix(strings.TrimSpace(line), "d diff  enter open") {
			t.Errorf("the footer begins with %s", line)
		}
		d.See("a accept its plan", "r reject its plan").See("robot", "● ann", "Defined the plan of").Hidden("log entry 4")
		d.Press(keymap.FilterStart).Type("release").Press(keymap.PromptSubmit, keymap.MoveTop).Hidden("accept its")
	})
}
