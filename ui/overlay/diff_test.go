package overlay

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"vespe/ui/text"
	"vespe/ui/viewtest"
)

// sides rebuilds both texts from a comparison.
func sides(c *comparison) (old, now string) {
	var a, b []string
	for _, r := range c.rows {
		if r.kind == equal || r.kind == changed || r.kind == deleted {
			a = append(a, r.old.text)
		}
		if r.kind == equal || r.kind == changed || r.kind == inserted {
			b = append(b, r.new.text)
		}
	}
	return strings.Join(a, "\n"), strings.Join(b, "\n")
}

// Nothing is lost or invented: a full comparison holds both texts, with their line numbers
// in order, and the words that do not differ are the same on both sides.
func TestCompareHoldsBothTexts(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "one", "two words", "two other words", "three words here", "- a list", "## head", "x"})
	rapid.Check(t, func(t *rapid.T) {
		old := strings.Join(rapid.SliceOfN(line, 0, 25).Draw(t, "old"), "\n")
		now := strings.Join(rapid.SliceOfN(line, 0, 25).Draw(t, "new"), "\n")
		c := compare(old, now, true)
		a, b := sides(c)
		if a != strings.TrimSuffix(old, "\n") || b != strings.TrimSuffix(now, "\n") {
			t.Fatalf("from %q and %q it made %q and %q", old, now, a, b)
		}
		i, j := 0, 0
		for _, r := range c.rows {
			if r.kind != inserted {
				if i++; r.old.no != i {
					t.Fatalf("line %d of the old text has number %d", i, r.old.no)
				}
			}
			if r.kind != deleted {
				if j++; r.new.no != j {
					t.Fatalf("line %d of the new text has number %d", j, r.new.no)
				}
			}
			if r.kind == equal && r.old.text != r.new.text {
				t.Fatalf("%q and %q are called equal", r.old.text, r.new.text)
			}
			if r.kind == changed && r.old.words != nil && without(r.old) != without(r.new) {
				t.Fatalf("beside the marked words %q and %q differ", r.old.text, r.new.text)
			}
		}
		folded := compare(old, now, false)
		n := 0
		for _, r := range folded.rows {
			n++
			if r.kind == gap {
				n += r.hidden - 1
			}
		}
		if n != len(c.rows) {
			t.Fatalf("folded it stands for %d rows, want %d", n, len(c.rows))
		}
		for k, h := range folded.hunks {
			if kind := folded.rows[h].kind; kind == equal || kind == gap {
				t.Fatalf("hunk %d begins at an equal line", k)
			}
		}
	})
}

// without is a side's text without the words that differ.
func without(s side) string {
	out, at := "", 0
	for _, w := range s.words {
		out += s.text[at:w[0]]
		at = w[1]
	}
	return out + s.text[at:]
}

func TestWordsThatDiffer(t *testing.T) {
	x, y, alike := words("Match by invoice number in the text.", "Match by invoice number, then by amount.")
	if !alike {
		t.Fatal("they are one line that was changed")
	}
	a, b := side{text: "Match by invoice number in the text.", words: x}, side{text: "Match by invoice number, then by amount.", words: y}
	if without(a) != without(b) || len(x) == 0 || len(y) == 0 {
		t.Errorf("marked %v and %v", x, y)
	}
	if _, _, alike := words("one thing", "something entirely else"); alike {
		t.Error("lines with nothing in common stand for each other")
	}
}

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

// What is wrapped is the whole line, whatever it holds.
func TestWrapAtLosesNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "word", " ", "  ", "世界", "-", "x/y", "long-word-here"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.TrimRight(strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), ""), " ")
		w := rapid.IntRange(2, 30).Draw(t, "w")
		at := 0
		for _, p := range wrapAt(s, w) {
			if p.from < at || strings.TrimLeft(s[at:p.from], " ") != "" {
				t.Fatalf("%q is lost before a part of %q at width %d", s[at:p.from], s, w)
			}
			if got := text.Width(s[p.from:p.to]); got > w {
				t.Fatalf("a part of %q is %d cells wide, want at most %d", s, got, w)
			}
			at = p.to
		}
		if strings.TrimRight(s[at:], " ") != "" {
			t.Fatalf("%q is lost at the end of %q", s[at:], s)
		}
	})
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
