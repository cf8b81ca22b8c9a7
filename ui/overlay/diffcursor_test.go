package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/internal/viewtest"

	"pgregory.net/rapid"

	"vespe/ui/diff"
)

// withLines is a difference in which lines can be chosen.
func withLines(o DiffOptions, w, h int) *Diff {
	d := NewDiff(viewtest.Plain(), o)
	d.Lines()
	d.Show(d.Compare())
	d.View(w, h)
	return d
}

// Every line of both texts that is on the comparison is stopped at, there and back, in one column and in
// two, and the cursor is always in the window, or before the rows of its line where these are all that is in
// it; whatever is chosen is of the texts.
func TestTheCursorOfADifference(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "one", "two words", "two other words", "three words here", "- a list", "## head", strings.Repeat("long and longer ", 12)})
	rapid.Check(t, func(r *rapid.T) {
		old, now := rapid.SliceOfN(line, 0, 20).Draw(r, "old"), rapid.SliceOfN(line, 1, 20).Draw(r, "new")
		w, h := rapid.SampledFrom([]int{40, 80, 130}).Draw(r, "width"), rapid.IntRange(6, 30).Draw(r, "height")
		note := diff.Note{ID: "n", Old: rapid.Bool().Draw(r, "old side"), Line: 1, Draw: func(int) []string { return []string{"said", "more"} }}
		d := withLines(DiffOptions{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n"), Notes: []diff.Note{note}}, w, h)
		if rapid.Bool().Draw(r, "all lines") {
			d.ToggleFull()
			d.View(w, h)
		}
		var down, up []diff.Spot
		top := 0
		at := func(list *[]diff.Spot) bool {
			d.View(w, h)
			was := top
			top = d.win.Top
			if d.laid.Len() > 0 && !d.win.Sees(d.cur.at) && d.cur.at != d.onlyRowsOf() {
				r.Fatalf("the cursor on line %d is not in the window from %d on", d.cur.at, d.win.Top)
			}
			if n := len(*list); n > 0 && (*list)[n-1] == d.cur.spot {
				return top != was // it goes through the rows of one line
			}
			*list = append(*list, d.cur.spot)
			if p, ok := d.Picked(); ok {
				if p.From > 0 && (p.To < p.From || p.To > len(now)) || p.From == 0 && p.Under > len(now) {
					r.Fatalf("on %+v is chosen %+v", d.cur.spot, p)
				}
				for _, l := range p.Gone {
					if !slices.Contains(old, l) {
						r.Fatalf("%q is not in the old text", l)
					}
				}
			}
			return true
		}
		for d.Home(); at(&down); d.Move(1) {
		}
		for d.End(); at(&up); d.Move(-1) {
		}
		slices.Reverse(up)
		if !slices.Equal(up, down) {
			r.Fatalf("down it stops at %v, up at %v", down, up)
		}
		for i := range d.laid.Len() {
			if s, ok := d.laid.Spot(i); ok && !slices.Contains(down, s) {
				r.Fatalf("%+v is not stopped at", s)
			}
		}
	})
}

// All rows of a line that is longer than the window are shown, one key after another, there and back, and
// page by page, in the middle as at the end.
func TestALineLongerThanTheWindow(t *testing.T) {
	var words []string
	for k := range 60 {
		words = append(words, fmt.Sprintf("word%02d", k))
	}
	long := strings.Join(words, " ")
	for name, text := range map[string]string{"last": "one\n" + long, "in the middle": "one\n" + long + "\ntwo\nthree", "first": long + "\none", "alone": long} {
		for by, step := range map[string]struct {
			start, do func(d *Diff)
		}{
			"down":     {func(d *Diff) { d.Home() }, func(d *Diff) { d.Move(1) }},
			"up":       {func(d *Diff) { d.End() }, func(d *Diff) { d.Move(-1) }},
			"pages":    {func(d *Diff) { d.Home() }, func(d *Diff) { typed(d, "ctrl+d") }},
			"pages up": {func(d *Diff) { d.End() }, func(d *Diff) { typed(d, "pgup") }},
			"wheel":    {func(d *Diff) { d.Home() }, func(d *Diff) { d.Wheel(1) }},
		} {
			d := withLines(DiffOptions{New: text}, 40, 6)
			seen := ""
			step.start(d)
			for range 60 {
				seen += viewtest.Text(d, 40, 6)
				step.do(d)
			}
			for _, w := range words {
				if !strings.Contains(seen, w) {
					t.Errorf("%s, %s: %s is never shown", name, by, w)
					break
				}
			}
			if p, ok := d.Picked(); !ok || p.From < 1 {
				t.Errorf("%s, %s: the cursor is on %+v", name, by, p)
			}
		}
	}
}

// What the cursor is on stays under it while the box gets another width, another number of columns,
// all lines and other notes.
func TestTheCursorOfADifferenceStays(t *testing.T) {
	var old, now []string
	for k := range 60 {
		old = append(old, fmt.Sprintf("line %d, with so many words that it needs another row where the box is narrow", k))
		now = append(now, old[k])
	}
	now[30] = "line 30, with so many other words that it needs another row where the box is narrow"
	d := withLines(DiffOptions{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")}, 130, 30)
	d.Hunk(1)
	d.Move(2)
	want, _ := d.Picked()
	if want.From != 33 {
		t.Fatalf("it is on %+v", want)
	}
	for _, do := range []func(){
		func() { d.View(60, 30) },
		func() { d.ToggleFull() },
		func() {
			d.SetNotes([]diff.Note{{ID: "n", Line: 20, Draw: func(int) []string { return []string{"a", "b", "c"} }}})
		},
		func() { d.View(150, 12) },
		func() { d.ToggleSplit() },
		func() { d.View(70, 40) },
	} {
		do()
		d.View(max(60, d.boxW), 20)
		if got, _ := d.Picked(); got.From != want.From || !d.win.Sees(d.cur.at) {
			t.Fatalf("it is on %+v, %v in the window", got, d.win.Sees(d.cur.at))
		}
	}
}

// The mouse puts the cursor on a line, and the wheel takes it along at the edge of the window.
func TestTheMouseInADifference(t *testing.T) {
	var old, now []string
	for k := range 60 {
		old = append(old, fmt.Sprintf("line %d", k+1))
		now = append(now, old[k])
	}
	now[30] = "another"
	d := withLines(DiffOptions{Old: strings.Join(old, "\n"), New: strings.Join(now, "\n")}, 100, 20)
	d.ToggleFull()
	d.View(100, 20)
	d.Home()
	rows := strings.Split(viewtest.Text(d, 100, 20), "\n")
	for y, l := range rows {
		if !strings.Contains(l, "line 7") {
			continue
		}
		d.Click(20, y)
		if p, _ := d.Picked(); p.From != 7 {
			t.Errorf("a click on %q is on %+v", l, p)
		}
	}
	d.Click(20, 0)
	if p, _ := d.Picked(); p.From != 7 {
		t.Errorf("a click on the border is on %+v", p)
	}
	d.Wheel(20)
	viewtest.Text(d, 100, 20)
	if p, _ := d.Picked(); p.From <= 7 || !d.win.Sees(d.cur.at) {
		t.Errorf("after the wheel it is on %+v", p)
	}
}

// A difference opens on the first line that differs, with what is before it in view.
func TestDiffOpensOnTheFirstChange(t *testing.T) {
	d := compared(viewtest.Plain(), DiffOptions{Old: "a\nb\nc\nd\n", New: "a\nb\nC\nd\n"})
	d.Lines()
	d.View(80, 12)
	if p, ok := d.Picked(); !ok || len(p.Gone) != 1 || p.Gone[0] != "c" || d.win.Top != 0 {
		t.Errorf("it opens on %+v, from line %d on", p, d.win.Top)
	}
}

// A key that goes to a difference stops at its first line with words, there and back, and says where there is none.
func TestTheCursorGoesToWords(t *testing.T) {
	d := withLines(DiffOptions{Old: "a\nb\nc", New: "a\n\nwords\nb\nc\n\n\nmore"}, 80, 30)
	at := func(want int) {
		t.Helper()
		if p, _ := d.Picked(); p.From != want {
			t.Errorf("it is on line %d, not on %d", p.From, want)
		}
	}
	at(3)
	d.Hunk(1)
	at(8)
	typed(d, "n")
	at(8)
	if s := viewtest.Text(d, 80, 30); !strings.Contains(s, "no change below") {
		t.Error(s)
	}
	typed(d, "N")
	at(3)
	typed(d, "N")
	at(3)
	if s := viewtest.Text(d, 80, 30); !strings.Contains(s, "no change above") {
		t.Error(s)
	}
}

// What is revealed is in the upper third, also at the end of the text and when a note is put beside it there.
func TestTheEndIsRevealed(t *testing.T) {
	d := withLines(DiffOptions{Old: "a", New: "a\n" + strings.Repeat("line\n", 50)}, 80, 20)
	d.End()
	check := func() {
		t.Helper()
		d.View(80, 20)
		if y := d.cur.at - d.win.Top; y < 0 || y > 6 {
			t.Errorf("the cursor is in row %d of the window", y)
		}
	}
	d.Reveal()
	check()
	d.SetNotes([]diff.Note{{ID: "n", Line: 51, Draw: func(int) []string { return []string{"a", "b"} }}})
	check()
	d.Move(-1)
	if d.View(80, 20); d.win.Top+d.win.Height > d.laid.Len() {
		t.Error("rows stay empty below the text")
	}
}
