package diff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What the new text shows of a difference: its own lines that are new or other, and where lines
// are gone the one that they stood under.
func TestInNew(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"a\nb\nc", "a\nb\nc", ""},
		{"a\nc", "a\nnew line\nc", "2-2 [1] -0"},
		{"a\nthe old words\nc", "a\nthe new words\nc", "2-2 [2] -0"},
		{"a\nb\nc", "a\nc", "1-1 [3] -1"},
		{"a\nb\nc", "c", "1-1 [3] -2"},
		{"a\nb", "", "1-1 [3] -2"},
		{"", "a\nb", "1-2 [1 1] -0"},
		{"the old words\nb", "the new words\nand more\nb", "1-2 [2 1] -0"},
		{"the old words\nb\n\nz", "the new words\nz", "1-1 [4] -2"},
	} {
		var got []string
		for _, x := range Compare(c.old, c.now).InNew() {
			got = append(got, fmt.Sprintf("%d-%d %v -%d", x.From, x.To, x.Kinds, x.Gone))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("from %q to %q: %s, want %s", c.old, c.now, s, c.want)
		}
	}
}

// Whatever differs, every line that is not equal has a kind, and no line has two.
func TestInNewHasEveryLine(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "one", "two words", "two other words", "three words here", "- a list", "## head", "x"})
	rapid.Check(t, func(t *rapid.T) {
		c := Compare(strings.Join(rapid.SliceOfN(line, 0, 25).Draw(t, "old"), "\n"), strings.Join(rapid.SliceOfN(line, 0, 25).Draw(t, "new"), "\n"))
		want, gone := map[int]bool{}, 0
		for _, r := range c.rows {
			switch r.kind {
			case inserted, changed:
				want[r.new.no] = true
			case deleted:
				gone++
			}
		}
		got, last := map[int]bool{}, 0
		for _, x := range c.InNew() {
			if len(x.Kinds) != x.To-x.From+1 || x.From < max(1, last) {
				t.Fatalf("%+v after line %d", x, last)
			}
			last, gone = x.To, gone-x.Gone
			for i, k := range x.Kinds {
				if k == Kept {
					t.Fatalf("line %d has no kind: %+v", x.From+i, x)
				}
				if k != Removed {
					got[x.From+i] = true
				}
			}
		}
		if gone != 0 {
			t.Fatalf("%d lines that are gone are not counted", gone)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("the lines are %v, want %v", got, want)
		}
	})
}
