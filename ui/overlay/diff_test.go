package overlay

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vespe/internal/viewtest"
	"vespe/ui/style"
)

// compared is a difference whose texts have been compared.
func compared(st *style.Styles, o DiffOptions) *Diff {
	d := NewDiff(st, o)
	d.Show(d.Compare())
	return d
}

func TestDiffMovesByHunks(t *testing.T) {
	var old, now []string
	for k := range 200 {
		old = append(old, fmt.Sprintf("line %d", k))
		now = append(now, old[k])
	}
	now[50], now[120] = "another fifty", "another one hundred and twenty"
	d := compared(viewtest.Plain(), DiffOptions{Title: "x", Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")})
	d.View(80, 10)
	typed(d, "x")
	d.View(80, 10)
	typed(d, "n")
	if got := viewtest.Text(d, 80, 10); !strings.Contains(got, "another fifty") {
		t.Errorf("n shows\n%s", got)
	}
	typed(d, "n")
	if got := viewtest.Text(d, 80, 10); !strings.Contains(got, "another one hundred") {
		t.Errorf("n n shows\n%s", got)
	}
	typed(d, "N")
	if got := viewtest.Text(d, 80, 10); !strings.Contains(got, "another fifty") {
		t.Errorf("N shows\n%s", got)
	}
	if got := viewtest.Text(d, 80, 10); !strings.Contains(got, "+2 -2") || strings.Contains(got, "the same") {
		t.Errorf("the counts are\n%s", got)
	}
	same := compared(viewtest.Plain(), DiffOptions{Old: "a\n", New: "a"})
	if got := viewtest.Text(same, 60, 10); !strings.Contains(got, "the same") { // a line feed at the end is no difference
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
		compared(st, DiffOptions{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")}).View(160, 50)
	}
}

// Split where there is no room for it is said, until another key is pressed.
func TestDiffSaysThatThereIsNoRoomToSplit(t *testing.T) {
	d := compared(viewtest.Plain(), DiffOptions{Old: "one\n", New: "two\n"})
	d.View(80, 20)
	d.ToggleSplit()
	if got := strings.Join(d.View(80, 20), "\n"); !strings.Contains(got, "Too narrow") {
		t.Errorf("nothing is said:\n%s", got)
	}
	d.HandleKey(tea.KeyPressMsg{Code: tea.KeyDown})
	if got := strings.Join(d.View(80, 20), "\n"); strings.Contains(got, "Too narrow") {
		t.Errorf("it is still said:\n%s", got)
	}
}

// A first revision has nothing to stand beside it: it takes the whole width.
func TestAFirstRevisionIsInOneColumn(t *testing.T) {
	d := compared(viewtest.Plain(), DiffOptions{New: "one\ntwo\n"})
	if got := viewtest.Text(d, 140, 12); !strings.Contains(got, "1 + one") || strings.Contains(got, " │ ") {
		t.Errorf("it shows\n%s", got)
	}
	d.ToggleSplit()
	if got := viewtest.Text(d, 140, 12); !strings.Contains(got, "nothing to compare it with") {
		t.Errorf("split shows\n%s", got)
	}
}

// Until the texts have been compared that is said. What is pressed meanwhile is done then, and
// closing is done at once.
func TestADiffThatIsBeingCompared(t *testing.T) {
	var old, now []string
	for k := range 2000 {
		old = append(old, fmt.Sprintf("line %d", k))
		now = append(now, old[k])
	}
	now[300], now[900], now[1500] = "the first", "the second", "the third"
	o := DiffOptions{Title: "x", Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")}
	ready, d := compared(viewtest.Plain(), o), NewDiff(viewtest.Plain(), o)
	if got := viewtest.Text(d, 90, 24); !strings.Contains(got, "Comparing the two") || strings.Contains(got, "+0") {
		t.Errorf("it shows\n%s", got)
	}
	ready.View(90, 24)
	for _, keys := range []string{"x", "nn", "N"} {
		typed(d, keys)
		typed(ready, keys)
		ready.View(90, 24)
		viewtest.Text(d, 90, 24)
	}
	d.HandleKey(tea.KeyPressMsg{Code: tea.KeyPgDown})
	ready.HandleKey(tea.KeyPressMsg{Code: tea.KeyPgDown})
	for _, x := range []*Diff{d, ready} {
		x.Wheel(3)
	}
	if _, h := d.Size(90, 24); h != 24 {
		t.Errorf("it wants %d lines before it is known how many there are", h)
	}
	if out := d.HandleKey(tea.KeyPressMsg{Code: tea.KeyEscape}); !Ends(out) {
		t.Error("it does not close")
	}
	d.Show(d.Compare())
	if got, want := viewtest.Text(d, 90, 24), viewtest.Text(ready, 90, 24); got != want {
		t.Errorf("it shows\n%s\nand where the comparison was there before the keys\n%s", got, want)
	} else if !strings.Contains(want, "line 32") {
		t.Errorf("the keys lead to\n%s", want)
	}
}
