package ui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"vespe/internal/uitest"
	"vespe/keymap"
	"vespe/model"
	"vespe/ui"
	"vespe/ui/announce"
)

func notifying(s *uitest.Store, how announce.Way) uitest.Options {
	return uitest.Options{Store: s, Change: func(d *ui.Deps) { d.Notify = how }}
}

// command is one to the terminal that ends with the sign of the bell.
var command = regexp.MustCompile("\x1b\\][^\a]*\a")

// osc9 is what was announced.
func osc9(d *uitest.Driver) []string {
	var out []string
	for _, part := range strings.Split(d.Written(), "\x1b]9;")[1:] {
		said, _, _ := strings.Cut(part, "\a")
		out = append(out, said)
	}
	return out
}

// Only what arrives while the program runs is announced, at most once in ten seconds.
func TestNewItemsAreAnnounced(t *testing.T) {
	s := ask(action())
	uitest.Run(t, notifying(s.Store, announce.OSC9), func(d *uitest.Driver) {
		d.Sleep(time.Minute)
		if got := osc9(d); len(got) != 0 {
			t.Fatalf("announced at the start: %q", got)
		}
		s.ask(model.NewRequest{Title: "one"})
		d.Sleep(2 * time.Second)
		s.ask(model.NewRequest{Title: "two"})
		s.ask(model.NewRequest{Title: "three"})
		d.Sleep(4 * time.Second)
		if got := osc9(d); len(got) != 1 || got[0] != "vespe: a request: one" {
			t.Fatalf("announced %q", got)
		}
		d.Sleep(10 * time.Second)
		if got := osc9(d); len(got) != 2 || got[1] != "vespe: a request: three, and 1 more" {
			t.Fatalf("announced %q", got)
		}
		d.Sleep(time.Minute).Press(keymap.Refresh).Sleep(time.Minute)
		if got := osc9(d); len(got) != 2 {
			t.Fatalf("announced again: %q", got)
		}
	})
}

// A request that expires is announced: nothing expires silently.
func TestWhatExpiresIsAnnounced(t *testing.T) {
	s := ask(action())
	uitest.Run(t, notifying(s.Store, announce.OSC9), func(d *uitest.Driver) {
		s.ask(model.NewRequest{Title: "soon", ExpiresAt: time.Now().Add(30 * time.Second)})
		d.Sleep(20 * time.Second).Press(keymap.ViewInbox).Hidden("Expired")
		d.Sleep(20 * time.Second).See("Expired without an answer")
		if got := osc9(d); len(got) != 2 || got[1] != "vespe: a request has expired: soon" {
			t.Fatalf("announced %q", got)
		}
	})
}

func TestTheBellRings(t *testing.T) {
	s := ask(action())
	uitest.Run(t, notifying(s.Store, announce.Bell), func(d *uitest.Driver) {
		s.ask(model.NewRequest{Title: "one"})
		d.Sleep(20 * time.Second)
		if got := strings.Count(command.ReplaceAllString(d.Written(), ""), "\a"); got != 1 {
			t.Errorf("%d bells", got)
		}
		if got := osc9(d); len(got) > 0 {
			t.Errorf("announced %q", got)
		}
	})
}

// By default the terminal is told nothing; and what the person put into the inbox is no news.
func TestNothingIsAnnouncedUnasked(t *testing.T) {
	s := ask(action())
	uitest.Run(t, uitest.Options{Store: s.Store}, func(d *uitest.Driver) {
		s.ask(model.NewRequest{Title: "one"})
		d.Sleep(2 * time.Second)
		if got := osc9(d); len(got) > 0 {
			t.Errorf("announced %q", got)
		}
	})
	own := uitest.NewSmall()
	uitest.Run(t, notifying(own.Store, announce.OSC9), func(d *uitest.Driver) {
		goTo(d, "error messages")
		d.Press(keymap.Done).Type("done").Press(keymap.ComposeSend).Sleep(5 * time.Second)
		d.Status(own.Run, model.StatusReviewWork)
		if got := osc9(d); len(got) > 0 {
			t.Errorf("announced %q", got)
		}
	})
}

// What is announced is text and nothing else, wherever it comes from.
func TestAnAnnouncementIsText(t *testing.T) {
	s := uitest.NewSmall()
	uitest.Run(t, notifying(s.Store, announce.OSC9), func(d *uitest.Driver) {
		d.Sleep(time.Second)
		s.Ask(s.Run, model.NewRequest{Title: "4;1;50 harmless"})
		s.EditRequest(s.Snapshot().Requests()[0].ID, func(q *model.Request) {
			q.Title = "x\a\x1b]0;owned\a\u009c\u202e" + strings.Repeat("y", 500)
		})
		d.Sleep(2 * time.Second)
		got := osc9(d)
		if len(got) != 1 || !strings.HasPrefix(got[0], "vespe: a request: x") || len([]rune(got[0])) > 140 || strings.ContainsAny(got[0], "\x1b\a\u009c\u202e") {
			t.Errorf("announced %q", got)
		}
	})
}
