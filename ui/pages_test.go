package ui_test

import (
	"testing"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
)

// The key that quits goes back from what was opened from elsewhere, and quits from the five views.
func TestQuitGoesBackFromAPage(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		goTo(d, "beta")
		d.Palette(keymap.ViewMap).See("around beta", "q back").Press(keymap.Right, keymap.MapEnter, keymap.Quit).Hidden("around")
		d.Palette(keymap.Statistics).See("Statistics").Press(keymap.Quit).Hidden("Statistics")
		d.Palette(keymap.ViewMap).Press(keymap.Back).Hidden("around beta")
		d.Press(keymap.ViewGraph).See("around beta").Press(keymap.Right, keymap.MapEnter).See("around gamma").Press(keymap.Quit).See("around beta")
		d.Press(keymap.Quit).Quits()
	})
}

// A failed attempt waits in the inbox, says what failed, and begins the footer with the key that tries again.
func TestAFailedAttemptIsInTheInbox(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.RaiseError, UID: s.Run, Actor: uitest.Robot, Args: model.ErrorReport{Details: "two of nine tests fail"}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop).See("needs you 3")
		d.Press(keymap.GroupNext, keymap.GroupNext).See("Failed attempts", "two of nine tests fail", "s retry", "replan", "abort")
		d.Press(keymap.Start).Press(keymap.ConfirmYes).Hidden("Failed attempts")
	})
}

// The tour stays on screen over what is opened, and says what to press there.
func TestTheTourStaysOverARequest(t *testing.T) {
	s := uitest.NewSmall()
	s.Must(model.Op{Name: model.Ask, UID: s.Run, Actor: uitest.Robot, Args: model.NewRequest{Kind: model.KindQuestion, Title: "Which way?", Detail: "Up or down."}})
	uitest.Run(t, uitest.Options{Store: s.Store, W: 80, H: 24}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop).Palette(keymap.Tour).See("Tour 1 of 9")
		d.Press(keymap.Open).See("Which way?", "Tour 1 of 9", "esc closes this, and the tour continues.").Press(keymap.RequestClose).See("Tour 1 of 9")
	})
}

// A page can be left also where it was opened from no task, and after more jumps than are kept.
func TestQuitGoesBackToARequestWithoutATask(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta")
	s.Must(model.Op{Name: model.Escalate, Actor: "system:loop", Args: model.NewRequest{Key: "k", Title: "All work is stuck"}})
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		d.Press(keymap.ViewInbox, keymap.MoveTop).See("▌", "All work is stuck")
		d.Palette(keymap.ViewLanes)
		d.Press(keymap.Quit)
		if d.Ended() {
			t.Fatal("q on the page ended the program")
		}
		d.See("▌", "All work is stuck")
	})
}

func TestQuitGoesBackAfterManyJumps(t *testing.T) {
	s := chainOf("alpha", "beta", "gamma", "delta")
	uitest.Run(t, uitest.Options{Store: s, W: 160, H: 40}, func(d *uitest.Driver) {
		goTo(d, "beta")
		d.Palette(keymap.ViewLanes)
		for range 60 {
			d.Press(keymap.Right, keymap.Left)
		}
		d.Press(keymap.Quit).See("q quit")
	})
}
