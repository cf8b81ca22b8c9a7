package overlay

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/ui/viewtest"
)

func TestDiffMovesByHunks(t *testing.T) {
	var old, now []string
	for k := range 200 {
		old = append(old, fmt.Sprintf("line %d", k))
		now = append(now, old[k])
	}
	now[50], now[120] = "another fifty", "another one hundred and twenty"
	d := NewDiff(plainStyles(), DiffOptions{Title: "x", Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")})
	d.View(80, 10)
	typed(d, "x")
	d.View(80, 10)
	typed(d, "n")
	if got := plain(d, 80, 10); !strings.Contains(got, "another fifty") {
		t.Errorf("n shows\n%s", got)
	}
	typed(d, "n")
	if got := plain(d, 80, 10); !strings.Contains(got, "another one hundred") {
		t.Errorf("n n shows\n%s", got)
	}
	typed(d, "N")
	if got := plain(d, 80, 10); !strings.Contains(got, "another fifty") {
		t.Errorf("N shows\n%s", got)
	}
	if a, b := d.Changes(); a != 2 || b != 2 || d.Same() {
		t.Errorf("%d added, %d taken away", a, b)
	}
	same := NewDiff(plainStyles(), DiffOptions{Old: "a\n", New: "a"})
	if !same.Same() {
		t.Error("a line feed at the end is no difference")
	}
	if got := plain(same, 60, 10); !strings.Contains(got, "the same") {
		t.Errorf("two equal texts show\n%s", got)
	}
}

func BenchmarkDiff5000Lines(b *testing.B) {
	var old, now []string
	for k := range 5000 {
		s := fmt.Sprintf("This is line %d of a plan that somebody wrote at some length, with words in it.", k)
		old = append(old, s)
		if k%10 == 3 {
			s = strings.Replace(s, "somebody", "an agent", 1)
		}
		now = append(now, s)
	}
	st := viewtest.Styles(viewtest.Looks()[0].Opt)
	for b.Loop() {
		NewDiff(st, DiffOptions{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")}).View(160, 50)
	}
}

// Split where there is no room for it is said, until another key is pressed.
func TestDiffSaysThatThereIsNoRoomToSplit(t *testing.T) {
	d := NewDiff(plainStyles(), DiffOptions{Old: "one\n", New: "two\n"})
	d.View(80, 20)
	d.ToggleSplit()
	if got := strings.Join(d.View(80, 20), "\n"); !strings.Contains(got, "There is no room") {
		t.Errorf("nothing is said:\n%s", got)
	}
	d.HandleKey(tea.KeyPressMsg{Code: tea.KeyDown})
	if got := strings.Join(d.View(80, 20), "\n"); strings.Contains(got, "There is no room") {
		t.Errorf("it is still said:\n%s", got)
	}
}

// A first revision has nothing to stand beside it: it takes the whole width.
func TestAFirstRevisionIsInOneColumn(t *testing.T) {
	d := NewDiff(plainStyles(), DiffOptions{New: "one\ntwo\n"})
	if got := plain(d, 140, 12); !strings.Contains(got, "1 + one") || strings.Contains(got, " │ ") {
		t.Errorf("it shows\n%s", got)
	}
	d.ToggleSplit()
	if got := plain(d, 140, 12); !strings.Contains(got, "nothing to set beside it") {
		t.Errorf("split shows\n%s", got)
	}
}
