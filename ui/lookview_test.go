package ui_test

import (
	"errors"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// Statistics count what passes the filter, in the time that was chosen, and what happens while they are
// open.
func TestStatistics(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 50}, func(d *uitest.Driver) {
		d.Palette(keymap.Statistics).See("Statistics: all", "7 tasks", "Throughput", "Waiting for", "Time in a status", "► Running", "Plans accepted by", "robot")
		d.Press(keymap.PeriodLess).See("last 90 days").Press(keymap.PeriodLess, keymap.PeriodLess, keymap.PeriodLess).See("last 24 hours")
		d.Press(keymap.PeriodLess).See("last 24 hours").Press(keymap.PeriodMore).See("last 7 days")
		s.Must(model.Op{Name: model.CreateTask, Actor: uitest.Ann, Args: model.NewTask{UID: s.NewUID(), Name: "one more"}})
		d.Sleep(3 * time.Second).See("8 tasks").Press(keymap.LookClose).Hidden("Throughput")
		d.Press(keymap.FilterStart).Type("grammar").Press(keymap.PromptSubmit).Palette(keymap.Statistics).See("1 task,", "filter: grammar").Press(keymap.LookClose)
	})
}

func TestStatisticsThatCannotBeRead(t *testing.T) {
	s := uitest.NewSmall()
	s.FailWith(func(method string) error {
		if method == "Journal" {
			return errors.New("the disk is away")
		}
		return nil
	})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 160, H: 40, KeepUnread: true}, func(d *uitest.Driver) {
		d.Palette(keymap.Statistics).See("Can't read the history")
	})
}

func TestTimeline(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, uitest.Options{Store: s.Store, W: 120, H: 50}, func(d *uitest.Driver) {
		goTo(d, "grammar notes")
		d.Press(keymap.Timeline).See("Timeline of grammar notes", "Total", "for people", "◇ Plan review", "► Running", "Completed work", "◆ Work review", "by now")
		d.Press(keymap.MoveDown, keymap.MoveUp, keymap.Help).See("Close this page").Press(keymap.PickerCancel)
		d.Press(keymap.LookClose)
		goTo(d, "release")
		d.Press(keymap.Timeline).See("⊗ Blocked", "for other tasks").Press(keymap.LookClose)
	})
}
