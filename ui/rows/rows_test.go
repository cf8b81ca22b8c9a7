package rows

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/internal/viewtest"
	"vespe/ui/style"
	"vespe/ui/text"
)

// Whatever is added, a line is exactly as wide as it was said to be.
func TestLineIsExact(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	inks := []style.Ink{{}, st.Accent, st.Match, st.Bold}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 50).Draw(t, "w")
		l := NewLine(w, rapid.SampledFrom([]style.Ink{{}, st.Select}).Draw(t, "base"))
		for range rapid.IntRange(0, 8).Draw(t, "spans") {
			s := text.SafeLine(rapid.StringN(0, 12, -1).Draw(t, "text"))
			ink := rapid.SampledFrom(inks).Draw(t, "ink")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				l.Add(ink, s).Space(1)
			case 1:
				l.AddMax(ink, s, rapid.IntRange(0, 9).Draw(t, "max")).Space(1)
			case 2:
				l.To(rapid.IntRange(0, 60).Draw(t, "x"))
			case 3:
				a, b := rapid.IntRange(0, 12).Draw(t, "from"), rapid.IntRange(0, 12).Draw(t, "to")
				l.AddMatches(ink, st.Match, s, [][2]int{{min(a, b), max(a, b)}}).Space(1)
			}
		}
		if err := viewtest.Check([]string{l.String()}, w, 1); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLineKeepsItsBase(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	l := NewLine(10, st.Select).Add(st.Accent, "ab").Space(1).Add(style.Ink{}, "c")
	got := l.String()
	if n := strings.Count(got, st.Select.Open()); n < 2 {
		t.Errorf("the background is not under every span: %q", got)
	}
	if ansi.Strip(got) != "ab c      " {
		t.Errorf("got %q", ansi.Strip(got))
	}
}

func TestMatchesAreMarkedWhereTheyAre(t *testing.T) {
	for _, c := range []struct {
		s, query string
		want     []string
	}{
		{"Match the match", "match", []string{"Match", "match"}},
		{"ÄÖÜ äöü", "äö", []string{"ÄÖ", "äö"}},
		{"aaaa", "aa", []string{"aa", "aa"}},
		{"İstanbul, İs", "is", []string{"İs", "İs"}}, // its lower case is shorter in bytes
		{"nothing", "", nil},
		{"", "x", nil},
	} {
		var got []string
		for _, r := range Occurrences(c.s, Fold(c.query)) {
			got = append(got, c.s[r[0]:r[1]])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: marked %q, want %q", c.query, c.s, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, q := rapid.String().Draw(t, "s"), Fold(rapid.StringN(1, 3, -1).Draw(t, "q"))
		at := 0
		for _, r := range Occurrences(strings.ToValidUTF8(s, "?"), q) {
			if r[0] < at || r[1] <= r[0] || r[1] > len(s)+8 {
				t.Fatalf("%q in %q at %v", q, s, r)
			}
			at = r[1]
		}
	})
}

// The window never shows past the ends, keeps the cursor in view with rows around it, and
// moves no farther than it must.
func TestWindowFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 30).Draw(t, "h")
		v := Window{Height: h}
		for range 20 {
			cursor := rapid.IntRange(0, n-1).Draw(t, "cursor")
			before := v.Top
			v.Follow(cursor, n)
			off := min(ScrollOff, (h-1)/2)
			if v.Top < 0 || v.Top > max(0, n-h) {
				t.Fatalf("top %d with %d rows in %d lines", v.Top, n, h)
			}
			if !v.Sees(cursor) {
				t.Fatalf("row %d is not in view from %d", cursor, v.Top)
			}
			if lo, hi := max(0, cursor-off), min(n-1, cursor+off); !v.Sees(lo) || !v.Sees(hi) {
				t.Fatalf("rows %d to %d around the cursor are not all in view from %d", lo, hi, v.Top)
			}
			if cursor-off >= before && cursor+off < before+h && before <= max(0, n-h) && v.Top != before {
				t.Fatalf("it scrolled from %d to %d for nothing", before, v.Top)
			}
		}
	})
}

func TestResizeKeepsTheCursorInView(t *testing.T) {
	v := Window{}
	v.Resize(20, 0, 100)
	v.Follow(19, 100)
	v.Resize(5, 19, 100)
	if !v.Sees(19) {
		t.Errorf("after it became smaller the cursor is not in view from %d", v.Top)
	}
	v.Scroll(50, 100) // the wheel: the cursor may be out of view
	v.Resize(8, 19, 100)
	if v.Sees(19) {
		t.Error("a cursor that was out of view was fetched")
	}
}

func TestSearch(t *testing.T) {
	list := []string{"alpha", "beta", "gamma", "alpine", "delta"}
	cur, win, drawn := 2, Window{Height: 2, Top: 1}, 0
	s := NewSearch(func() Searched {
		return Searched{
			Len: len(list), Cursor: cur, Folded: func(i int) string { return list[i] },
			Go:    func(r int) { cur = r; win.Follow(r, len(list)) },
			Place: func() func() { return win.Place(func() int { return len(list) }) },
		}
	}, func() { drawn++ })
	if n := s.SearchType("al"); n != 2 || cur != 3 {
		t.Errorf("typing finds %d and goes to %d", n, cur)
	}
	s.SearchType("alx")
	if cur != 2 || win.Top != 1 {
		t.Errorf("without a match the cursor is on %d, the window at %d", cur, win.Top)
	}
	s.SearchType("AL")
	s.SearchCancel()
	if cur != 2 || win.Top != 1 || s.Query() != "" {
		t.Errorf("canceled, the cursor is on %d, the window at %d, the query is %q", cur, win.Top, s.Query())
	}
	s.SearchType("al")
	s.SearchAccept()
	if wrapped, ok := s.SearchNext(1); cur != 0 || !wrapped || !ok {
		t.Errorf("the next match is %d, around the end: %v", cur, wrapped)
	}
	if query, at, total := s.Searching(); query != "al" || at != 1 || total != 2 {
		t.Errorf("searching %q, %d of %d", query, at, total)
	}
	if wrapped, ok := s.SearchNext(-1); cur != 3 || !wrapped || !ok {
		t.Errorf("the match before is %d, around the end: %v", cur, wrapped)
	}
	if wrapped, _ := s.SearchNext(-1); cur != 0 || wrapped {
		t.Errorf("the match before is %d, around the end: %v", cur, wrapped)
	}
	cur, list[1] = 1, "altered"
	if _, at, _ := s.Searching(); at != 0 {
		t.Errorf("off a match it is at %d", at)
	}
	s.Forget()
	if _, at, total := s.Searching(); at != 2 || total != 3 {
		t.Errorf("after a change it is at %d of %d", at, total)
	}
	if list = nil; s.SearchType("zz") != 0 || drawn == 0 {
		t.Error("an empty list has matches, or nothing is drawn anew")
	}
	s.SearchCancel()
}

func TestNotice(t *testing.T) {
	lines := make([]string, 9)
	Notice(lines, 30, viewtest.Styles(style.Options{NoColor: true}), []string{"Nothing here.", "A key makes one, and this is long enough to wrap."})
	if err := viewtest.Check(lines, 30, 9); err != nil {
		t.Fatal(err)
	}
	got := ansi.Strip(strings.Join(lines, "\n"))
	if !strings.Contains(got, "Nothing here.") || !strings.Contains(got, "to wrap.") {
		t.Errorf("got\n%s", got)
	}
}

// A match that is cut off shows in the ellipsis that stands for it.
func TestAMatchThatIsCutOffIsMarked(t *testing.T) {
	st := viewtest.Styles(style.Options{Dark: true})
	for s, want := range map[string]bool{"a long name with a match": true, "a match in a long name": true, "a long name": false} {
		l := NewLine(8, style.Ink{}).AddMatches(style.Ink{}, st.Match, s, Occurrences(s, Fold("match")))
		if got := strings.Contains(l.String(), st.Match.Open()); got != want {
			t.Errorf("%q: %q", s, l.String())
		}
	}
}
