package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

const on = "\x1b[7m"

func TestHighlight(t *testing.T) {
	for _, c := range []struct {
		in     string
		ranges [][2]int
		want   string
	}{
		{"hello", [][2]int{{1, 3}}, "h" + on + "el" + reset + "lo"},
		{"hello", [][2]int{{3, 9}}, "hel" + on + "lo" + reset},
		{"hello", [][2]int{{0, 1}, {4, 5}}, on + "h" + reset + "ell" + on + "o" + reset},
		{"日本", [][2]int{{1, 2}}, on + "日" + reset + "本"},
		{"hello", [][2]int{{2, 2}}, "hello"},
		{"hello", nil, "hello"},
		// The color below is taken up again after the match, and a reset inside the match
		// does not end it.
		{"\x1b[31mhello\x1b[m", [][2]int{{1, 3}}, "\x1b[31mh" + on + "el" + reset + "\x1b[31mlo\x1b[m"},
		{"\x1b[31mhe\x1b[mllo", [][2]int{{1, 3}}, "\x1b[31mh" + on + "e\x1b[m" + on + "l" + reset + "lo"},
	} {
		if got := Highlight(c.in, c.ranges, on); got != c.want {
			t.Errorf("Highlight(%q, %v) = %q, want %q", c.in, c.ranges, got, c.want)
		}
	}
}

func TestPaint(t *testing.T) {
	if got, want := Paint("ab", 4, on), on+"ab  "+reset; got != want {
		t.Errorf("Paint = %q, want %q", got, want)
	}
	if got, want := Paint("\x1b[31ma\x1b[mb", 3, on), on+"\x1b[31ma\x1b[m"+on+"b "+reset; got != want {
		t.Errorf("Paint = %q, want %q", got, want)
	}
}

// Neither changes the text.
func TestPaintingKeepsTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := styledLine().Draw(t, "s")
		var ranges [][2]int
		at := 0
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			from := at + rapid.IntRange(0, 4).Draw(t, "gap")
			at = from + rapid.IntRange(0, 4).Draw(t, "len")
			ranges = append(ranges, [2]int{from, at})
		}
		if got := Highlight(s, ranges, on); ansi.Strip(got) != ansi.Strip(s) || !leaks(s) && leaks(got) {
			t.Fatalf("Highlight(%q, %v) = %q", s, ranges, got)
		}
		w := Width(s)
		if got := Paint(s, w, on); ansi.Strip(got) != ansi.Strip(s) {
			t.Fatalf("Paint(%q) = %q", s, got)
		}
	})
}

func TestCells(t *testing.T) {
	s := "ae\u0301日x"
	i := strings.Index(s, "日")
	if got := ByteCells(s, [][2]int{{i, i + 3}}); len(got) != 1 || got[0] != [2]int{2, 4} {
		t.Errorf("ByteCells = %v", got)
	}
	if got := ByteCells(s, [][2]int{{2, 3}}); len(got) != 1 || got[0] != [2]int{1, 2} {
		t.Errorf("half a cluster: ByteCells = %v", got)
	}
}
