package ui_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// Texts of a changeset that were read before others, and come after them, are not put in their place.
func TestALateTextOfAChangeset(t *testing.T) {
	f := newFamily(t)
	again := func(text string) {
		f.Must(model.Op{Name: model.DefinePlan, UID: f.first, Actor: uitest.Robot, Args: model.NewPlan{Text: "# Plan\n\n" + text + "\n"}})
	}
	uitest.Run(t, uitest.Options{Store: f.Store, W: 120, H: 40, KeepUnread: true}, func(d *uitest.Driver) {
		goTo(d, "top of it")
		d.Press(keymap.Changeset).See("Plan for first child")
		var slow atomic.Bool // commands ask side by side
		var read atomic.Int64
		late := make(chan struct{})
		answer := sync.OnceFunc(func() { close(late) })
		defer answer()
		slow.Store(true)
		f.FailWith(func(method string) error {
			if method == "History" && slow.Load() { // its texts have been read by then
				read.Add(1)
				<-late
			}
			return nil
		})
		again("The first thought.")
		d.Sleep(1500 * time.Millisecond).See("Plan for first child")
		if slow.Store(false); read.Load() == 0 {
			t.Fatal("it was not read")
		}
		again("The second thought.")
		d.Sleep(1500 * time.Millisecond).See("The second thought.")
		answer()
		for range 300 {
			d.Sleep(10 * time.Millisecond).See("The second thought.").Hidden("The first thought.")
		}
	})
}
