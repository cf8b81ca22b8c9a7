package markdown

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vespe/ui/text"
)

// Every word of every real plan is on the screen, as often as in the source.
func TestRealPlansShowEveryWord(t *testing.T) {
	found := plans(t)
	for i, name := range slices.Sorted(maps.Keys(found)) {
		src := found[name]
		for _, w := range [][]int{{38}, {100}}[i%2] { // every plan costs; both widths get half
			d := New(src, dark(t))
			lines := all(d, w)
			for y, l := range lines {
				checkLine(t, y, l, w)
			}
			have := letters(flat(lines))
			from := 0
			for n, l := range strings.Split(string(d.doc.src.text), "\n") {
				for _, word := range strings.FieldsFunc(text.Safe(l), func(r rune) bool { return !wordRune(r) }) {
					if i := strings.Index(have, word); i < 0 {
						t.Errorf("%s, width %d: %q of line %d is not shown", name, w, word, n+1)
					}
					from++
				}
			}
			if from == 0 {
				t.Errorf("%s has no words", name)
			}
			// As much is shown as there is: what wrapping and tables move about is not lost.
			if got, want := len(have), len(letters(string(d.doc.src.text))); got < want*98/100 {
				t.Errorf("%s, width %d: %d letters and digits shown, the source has %d", name, w, got, want)
			}
		}
	}
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if wordRune(r) {
			return r
		}
		return -1
	}, s)
}

func TestRealPlansMapping(t *testing.T) {
	for _, src := range plans(t) {
		if len(src) < 20000 { // the long ones are of the same kind, and walking them row by row takes long
			checkMapping(t, New(src, dark(t)), 70)
		}
	}
}

// Real plans have nothing hidden but comments; a flag on anything else is a false alarm.
func TestRealPlansFlags(t *testing.T) {
	for name, src := range plans(t) {
		d := New(src, dark(t))
		for _, l := range d.Hidden() {
			line := d.doc.src.line(l)
			if !strings.Contains(line, "<") && !strings.HasPrefix(line, "[") {
				t.Errorf("%s:%d is flagged: %q", name, l, line)
			}
		}
	}
}
