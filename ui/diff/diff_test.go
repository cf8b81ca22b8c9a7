package diff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sides rebuilds both texts from a comparison.
func sides(c *Comparison) (old, now string) {
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
		c := Compare(old, now)
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
		folded := Compare(old, now).Folded()
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
	words := func(a, b string) (x, y [][2]int, alike bool) {
		both := tokenized([]string{a, b})
		return (&Comparison{work: mostWork}).words(both.at(0), both.at(1))
	}
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
