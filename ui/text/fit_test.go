package text

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// styledLine generates one safe line with styles and links around parts of it.
func styledLine() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.Map(nasty(), SafeLine),
		rapid.SampledFrom([]string{
			"\x1b[31m", "\x1b[1;38;2;10;20;30m", "\x1b[48;5;12m", "\x1b[m", "\x1b[0m", "\x1b]8;;http://x.y\x1b\\", "\x1b]8;;\x1b\\",
		}),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 8), func(p []string) string { return strings.Join(p, "") })
}

// leaks reports whether a line leaves a style or link open.
func leaks(s string) bool {
	var st state
	for i := 0; i < len(s); {
		n, _, esc := next(s[i:])
		if esc {
			st.feed(s[i : i+n])
		}
		i += n
	}
	return st.closing() != ""
}

func TestExactWidths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := styledLine().Draw(t, "s")
		w := rapid.IntRange(0, 40).Draw(t, "w")
		if Width(s) != ansi.StringWidth(s) {
			t.Fatalf("Width(%q) = %d, ansi says %d", s, Width(s), ansi.StringWidth(s))
		}
		if got, want := Strip(s), ansi.Strip(s); got != want {
			t.Fatalf("Strip(%q) = %q, ansi says %q", s, got, want)
		}
		cut := Truncate(s, w)
		if n := ansi.StringWidth(cut); n > w || Width(s) <= w && cut != s && w > 0 {
			t.Fatalf("Truncate(%q, %d) = %q, %d cells", s, w, cut, n)
		}
		if Width(s) > w && leaks(cut) {
			t.Fatalf("Truncate(%q, %d) = %q leaves a style open", s, w, cut)
		}
		if plain := strings.TrimSuffix(ansi.Strip(cut), Ellipsis); !strings.HasPrefix(ansi.Strip(s), plain) {
			t.Fatalf("Truncate(%q, %d) = %q is not its beginning", s, w, cut)
		}
		for name, got := range map[string]string{
			"Pad": Pad(s, w), "PadLeft": PadLeft(s, w), "Center": Center(s, w), "Paint": Paint(s, w, "\x1b[7m"),
		} {
			if n, wc := ansi.StringWidth(got), ansi.StringWidthWc(got); n != w || wc != w {
				t.Fatalf("%s(%q, %d) = %q has %d and %d cells", name, s, w, got, n, wc)
			}
			if leaks(got) {
				t.Fatalf("%s(%q, %d) = %q leaves a style open", name, s, w, got)
			}
		}
	})
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"hello", 5, "hello"},
		{"hello", 4, "hel…"},
		{"hello", 1, "…"},
		{"hello", 0, ""},
		{"", 3, ""},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"日本語", 6, "日本語"},
		{"\x1b[31mhello\x1b[m", 4, "\x1b[31mhel…\x1b[m"},
		{"\x1b[31mhello\x1b[m", 5, "\x1b[31mhello\x1b[m"},
		{"ab\x1b[31mcd\x1b[m", 2, "a…"},
		{"\x1b[31mab\x1b[mcd", 3, "\x1b[31mab\x1b[m…"},
		{"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", 3, "\x1b]8;;http://x\x1b\\li…\x1b]8;;\x1b\\"},
	} {
		if got := Truncate(c.in, c.w); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

func TestPadClosesStyles(t *testing.T) {
	if got, want := Pad("\x1b[41mab", 4), "\x1b[41mab\x1b[m  "; got != want {
		t.Errorf("Pad = %q, want %q", got, want)
	}
}

func TestFitAndColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := func(w, h int) []string {
			return Fit(rapid.SliceOfN(styledLine(), 0, 6).Draw(t, "lines"), w, h)
		}
		w1, w2, h := rapid.IntRange(0, 12).Draw(t, "w1"), rapid.IntRange(0, 12).Draw(t, "w2"), rapid.IntRange(0, 5).Draw(t, "h")
		// Between blocks stands a border or a style: a letter at the end of one could form a
		// ligature with the start of the next.
		out := Columns(block(w1, h), Fit(nil, 1, h), []string{}, block(w2, h))
		if len(out) != h {
			t.Fatalf("%d lines, want %d", len(out), h)
		}
		for _, l := range out {
			if ansi.StringWidth(l) != w1+1+w2 || leaks(l) {
				t.Fatalf("%q is not %d cells", l, w1+1+w2)
			}
		}
	})
	if got := Columns([]string{"ab", "cd"}, []string{"x"}); got[1] != "cd " {
		t.Errorf("a shorter block is not continued: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 4, []string{"one", "two"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"well-known thing", 6, []string{"well-", "known", "thing"}},
		{"internal/store/load.go", 9, []string{"internal/", "store/", "load.go"}},
		{"  indented text", 8, []string{"  indent", "ed text"}},
		{"  in the text", 8, []string{"  in the", "text"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"日本語", 4, []string{"日本", "語"}},
		{"日本", 1, []string{"…", "…"}},
		{"see 日本語 text", 7, []string{"see 日", "本語", "text"}},
		{"trailing   ", 20, []string{"trailing"}},
		{"a - b", 3, []string{"a -", "b"}},
	} {
		if got := Wrap(c.in, c.w); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
	got := WrapIndent("one two three four", 9, "- ", "  ")
	if want := []string{"- one two", "  three", "  four"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("WrapIndent = %q, want %q", got, want)
	}
}

// Wrapping loses no character but blanks, and no row is too wide.
func TestWrapLosesNothing(t *testing.T) {
	squeeze := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '\n' {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := Safe(nasty().Draw(t, "in"))
		w := rapid.IntRange(2, 30).Draw(t, "w")
		first := rapid.SampledFrom([]string{"", "-> ", "\x1b[31m•\x1b[m "}).Draw(t, "first")
		rest := rapid.SampledFrom([]string{"", "   ", "      "}).Draw(t, "rest")
		var body []string
		for i, row := range WrapIndent(in, w, first, rest) {
			if ansi.StringWidth(row) > w {
				t.Fatalf("row %q of %q is wider than %d", row, in, w)
			}
			row = strings.TrimPrefix(row, rest)
			if i == 0 {
				row = strings.TrimPrefix(row, first)
			}
			body = append(body, row)
		}
		got := squeeze(strings.Join(body, ""))
		if w > 8 && got != squeeze(in) {
			t.Fatalf("%q became %q", in, body)
		}
	})
}

func BenchmarkPadASCII(b *testing.B) {
	for b.Loop() {
		Pad("a plain row of a tree, as most rows are", 60)
	}
}

func BenchmarkPadStyled(b *testing.B) {
	row := "│ " + lipgloss.NewStyle().Foreground(lipgloss.Color("#f2b84b")).Render("◇") + " Accept plans from the palette " +
		lipgloss.NewStyle().Foreground(lipgloss.Color("#888888")).Render("review plan")
	for b.Loop() {
		Pad(row, 80)
	}
}

func BenchmarkTruncateStyled(b *testing.B) {
	row := "│ " + lipgloss.NewStyle().Foreground(lipgloss.Color("#f2b84b")).Render("◇") + " Accept plans from the palette " +
		lipgloss.NewStyle().Foreground(lipgloss.Color("#888888")).Render("review plan")
	for b.Loop() {
		Truncate(row, 30)
	}
}

func BenchmarkTruncateStyledByAnsi(b *testing.B) { // what it is compared with
	row := "│ " + lipgloss.NewStyle().Foreground(lipgloss.Color("#f2b84b")).Render("◇") + " Accept plans from the palette " +
		lipgloss.NewStyle().Foreground(lipgloss.Color("#888888")).Render("review plan")
	for b.Loop() {
		ansi.Truncate(row, 30, Ellipsis)
	}
}

func BenchmarkSafeASCII(b *testing.B) {
	src := strings.Repeat("A line of a plan, about eighty characters long, as people and agents write.\n", 100)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Safe(src)
	}
}

func BenchmarkSafeUnicode(b *testing.B) {
	src := strings.Repeat("Ein Satz über „Größe“ — mit 日本語, ⚠️ und 🚀, wie ihn Menschen schreiben.\n", 100)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Safe(src)
	}
}

func BenchmarkWrap(b *testing.B) {
	src := strings.Repeat("word and another-word or über ", 60)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Wrap(src, 72)
	}
}

// A hash is one word: the hyphen after its kind is no place to break.
func TestWrapKeepsAHashTogether(t *testing.T) {
	for _, l := range Wrap("the plan was sha256-5856350d1a61 and is well-known", 30) {
		if strings.HasSuffix(l, "sha256-") {
			t.Errorf("broken inside a hash: %q", l)
		}
	}
	if got := Wrap("hyphens in well-known words", 17); got[0] != "hyphens in well-" {
		t.Errorf("another hyphen: %q", got)
	}
}

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		s        string
		from, to int
		want     string
	}{
		{"abcdef", 1, 4, "bcd"},
		{"abc", 0, 9, "abc"},
		{"abc", 5, 9, ""},
		{"日本語", 2, 4, "本"},
		{"日本語", 1, 5, " 本 "},
		{"日本", 1, 2, " "},
		{"e\u0301x", 0, 1, "e\u0301"},
		{"", 0, 3, ""},
	} {
		if got := Slice(c.s, c.from, c.to); got != c.want {
			t.Errorf("%q from %d to %d is %q, want %q", c.s, c.from, c.to, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := SafeLine(rapid.String().Draw(t, "s"))
		w := Width(s)
		from := rapid.IntRange(0, w).Draw(t, "from")
		to := rapid.IntRange(from, w).Draw(t, "to")
		if got := Width(Slice(s, from, to)); got != to-from {
			t.Fatalf("%q from %d to %d is %d cells", s, from, to, got)
		}
	})
}
