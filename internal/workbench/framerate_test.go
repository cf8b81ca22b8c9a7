package workbench

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

type quitter struct{}

func (quitter) Init() tea.Cmd                         { return tea.Quit }
func (q quitter) Update(tea.Msg) (tea.Model, tea.Cmd) { return q, nil }
func (quitter) View() tea.View                        { return tea.NewView("x") }

// The renderer's ticker is where frameRate looks for it. When this fails the library has
// changed: the workbench still runs, at a fixed rate.
func TestTickerOfProgram(t *testing.T) {
	var program *tea.Program
	seen := false
	look := func(_ tea.Model, msg tea.Msg) tea.Msg {
		seen = seen || tickerOf(program) != nil
		return msg
	}
	program = tea.NewProgram(quitter{}, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(10, 3), tea.WithFilter(look))
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	if !seen {
		t.Error("the program has no ticker of that name")
	}
}

// A message brings frequent looks, and a while without one makes them rare again.
func TestPaceFollowsMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(frameIdle)
		defer ticker.Stop()
		p := frameRate{ticker: ticker}
		p.still = time.AfterFunc(idleBegins, p.rest)
		looks := func(d time.Duration) (n int) {
			end := time.After(d)
			for {
				select {
				case <-ticker.C:
					n++
				case <-end:
					return n
				}
			}
		}
		look := p.Filter(nil)
		if look(nil, "message") != "message" {
			t.Error("the message did not pass")
		}
		if n, least := looks(idleBegins/2), int(idleBegins/2/frameBusy)-1; n < least {
			t.Errorf("%d looks after a message, want %d at least", n, least)
		}
		looks(idleBegins)
		if n, most := looks(time.Second), int(time.Second/frameIdle); n > most {
			t.Errorf("%d looks in a second of stillness, want %d at most", n, most)
		}
	})
}
