package markdown

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Who goes through a document by pages has seen every line of it, whatever it is made of; who goes
// to its end at once has not.
func TestSeenLines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := generated().Draw(r, "src")
		w, h := rapid.IntRange(20, 100).Draw(r, "width"), rapid.IntRange(3, 12).Draw(r, "height")
		d := reading(t, []byte(src), w, h)
		d.SetRaw(rapid.Bool().Draw(r, "raw"))
		d.SetSeen(&Seen{})
		for d.Top(); ; d.ScrollBy(max(1, d.h-1)) {
			if d.View(w, h); d.AtBottom() {
				break
			}
		}
		if got := d.ReadPercent(); got != 100 {
			r.Fatalf("%d%% of %d lines have been seen: %+v", got, d.Lines(), d.seen)
		}
		if got := d.ReadOf(1, d.Lines()); got != 100 && !d.Empty() {
			r.Fatalf("%d%% of all lines", got)
		}
	})
	d := reading(t, sample(t, "sample.md"), 80, 10)
	d.SetSeen(&Seen{})
	d.View(80, 10)
	first := d.ReadPercent()
	d.Bottom()
	d.View(80, 10)
	if got := d.ReadPercent(); first == 0 || got <= first || got > 4*first || d.ReadOf(1, 5) != 100 || d.ReadOf(30, 40) != 0 {
		t.Errorf("at the top %d%% has been seen, at the end %d%%, of the beginning %d%%, of the middle %d%%", first, got, d.ReadOf(1, 5), d.ReadOf(30, 40))
	}
}

// Two stretches of one long passage that do not meet are not all that is between them.
func TestWhatIsBetweenTwoStretchesIsNotSeen(t *testing.T) {
	d := reading(t, []byte(strings.Repeat("word ", 400)), 60, 10)
	d.SetSeen(&Seen{})
	d.seen.add(d, 0, 0, 5, 30)
	d.seen.add(d, 0, 20, 30, 30)
	if d.ReadPercent() == 100 {
		t.Error("rows 5 to 19 were on no screen, and count as read")
	}
	d.seen.add(d, 0, 0, 21, 30)
	if d.ReadPercent() != 100 {
		t.Error("all of it was on the screen, and does not count as read")
	}
}
