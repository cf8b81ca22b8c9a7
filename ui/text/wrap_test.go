package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is wrapped is the whole line, whatever it holds.
func TestWrapPartsLosesNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{"a", "word", " ", "  ", "世界", "-", "x/y", "long-word-here"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.TrimRight(strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, "words"), ""), " ")
		w := rapid.IntRange(2, 30).Draw(t, "w")
		at := 0
		for _, p := range WrapParts(s, w) {
			if p.From < at || strings.TrimLeft(s[at:p.From], " ") != "" {
				t.Fatalf("%q is lost before a part of %q at width %d", s[at:p.From], s, w)
			}
			if got := Width(s[p.From:p.To]); got > w {
				t.Fatalf("a part of %q is %d cells wide, want at most %d", s, got, w)
			}
			at = p.To
		}
		if strings.TrimRight(s[at:], " ") != "" {
			t.Fatalf("%q is lost at the end of %q", s[at:], s)
		}
	})
}

// Chop leaves out nothing, blanks neither.
func TestChop(t *testing.T) {
	for _, s := range []string{"", "a", "  a   b  ", "世界世界世", strings.Repeat("ab ", 40), "e\u0301e\u0301e\u0301"} {
		for w := 1; w < 9; w++ {
			parts := Chop(Safe(s), w)
			if got := strings.Join(parts, ""); got != Safe(s) {
				t.Errorf("%q in %d becomes %q", s, w, got)
			}
			for _, p := range parts {
				if Width(p) > max(w, 2) {
					t.Errorf("%q is wider than %d", p, w)
				}
			}
		}
	}
}
