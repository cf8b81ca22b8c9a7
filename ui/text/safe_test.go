package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

// nasty generates text of everything that has ever been measured wrongly or hidden
// something, in any order.
func nasty() *rapid.Generator[string] {
	parts := []string{
		"a", "Z", " ", "  ", "-", "/", "~", "1", "#", "é", "e\u0301", "ß", "Δ", "…", "─", "│", "▌", "●", "◌",
		"日", "本", "語", "한", "\u1112\u1161\u11ab", "\u1112", "\u1161", "ｱ", "Ａ", "️", "\ufe0e", "\u200d", "\u20e3",
		"⚠", "⚠️", "❤️", "🚀", "✅", "👨‍👩‍👧", "👍", "👍🏽", "🏽", "🤷‍♂️", "🏳️‍🌈", "👁‍🗨", "🏴", "🇩", "🇪", "🇩🇪", "1️⃣", "⌚︎",
		"\U000e0067", "\U000e007f", "\u200b", "\u200c", "\u200e", "\u202e", "\u2066", "\u2069", "\u00ad", "\ufeff",
		"\u0600", "\u115f", "\u3164", "\u2028", "\u2029", "\u0085", "\u009b", "\x1b", "\x1b[31m", "\x1b]8;;http://x\x1b\\",
		"\x00", "\x07", "\b", "\r", "\r\n", "\n", "\t", "\x7f", "\xff", "\xc3", "\xe2\x80", "\xf0\x9f",
		"क", "का", "्", "स्ते", "नमस्ते", "ि", "ः", "ં", "த", "மி", "ก", "ำ", "กำ", "ກຳ", "ต่ำ", "ا", "ل", "لا", "ـ", "א", "ّ",
		"\u0301", "\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\u0489",
		"﷽", "𒐫", "⸻", "ꙮ", "\U0001f9d1", "\U000f0000", "\ue000", "\U0010ffff", "\ufffd", "\u2060", "\u180e", "᠋",
	}
	piece := rapid.OneOf(
		rapid.SampledFrom(parts),
		rapid.StringN(0, 4, -1),
		rapid.Map(rapid.Rune(), func(r rune) string { return string(r) }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 4), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 20), func(p []string) string { return strings.Join(p, "") })
}

// checkDrawable fails when s has anything in it that a terminal could misread or that the
// two rules of width measure differently.
func checkDrawable(t interface {
	Fatalf(format string, args ...any)
}, in, s string, lineBreaks bool,
) {
	for _, r := range s {
		switch {
		case r == '\n' && lineBreaks:
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Cf, r),
			unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
			unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			t.Fatalf("%q became %q, which has %U in it", in, s, r)
		}
	}
	for line := range strings.SplitSeq(s, "\n") {
		g, wc, lg := ansi.StringWidth(line), ansi.StringWidthWc(line), lipgloss.Width(line)
		if g != wc || g != lg || g != Width(line) {
			t.Fatalf("%q became %q: %d cells by clusters, %d by code points, %d by lipgloss, %d by Width", in, line, g, wc, lg, Width(line))
		}
		for rest := line; rest != ""; {
			cluster, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if wc := ansi.StringWidthWc(cluster); w != wc || w < 1 {
				t.Fatalf("%q became %q: the cluster %q has %d cells by clusters and %d by code points", in, line, cluster, w, wc)
			}
			rest = rest[len(cluster):]
		}
	}
}

func TestSafeIsDrawable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := nasty().Draw(t, "in")
		out := Safe(in)
		checkDrawable(t, in, out, true)
		if again := Safe(out); again != out {
			t.Fatalf("Safe(%q) is %q, and Safe of that is %q", in, out, again)
		}
		line := SafeLine(in)
		checkDrawable(t, in, line, false)
		if again := SafeLine(line); again != line {
			t.Fatalf("SafeLine(%q) is %q, and SafeLine of that is %q", in, line, again)
		}
	})
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"", "plain", "a\tb\n\tc", "⚠️ 👨‍👩‍👧 नमस्ते กำ", "\x1b]52;c;aGk=\x07", "\xff\xfe", "e\u0301\u200d\U0001f3fd", "\u202eabc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Safe(in)
		checkDrawable(t, in, out, true)
		checkDrawable(t, in, SafeLine(in), false)
		if again := Safe(out); again != out {
			t.Fatalf("Safe(%q) is %q, and Safe of that is %q", in, out, again)
		}
	})
}

func TestSafeKeepsWhatIsCertain(t *testing.T) {
	for _, s := range []string{
		"", "plain text, with (punctuation)", "two\nlines\n", "Grüße, naïve café", "e\u0301", "日本語 한국어", "🚀 ✅ 🇩🇪",
		"├─ ╭╮ ▌ ● … → ◇ ▷ ≠ ⊗", "привет", "שלום", "مرحبا", "สวัสดี",
	} {
		if got := Safe(s); got != s {
			t.Errorf("Safe(%q) = %q; nothing in it is doubtful", s, got)
		}
	}
}

func TestSafeStandIns(t *testing.T) {
	for in, want := range map[string]string{
		"⚠️ careful":         "⚠ careful",
		"❤️":                 "❤",
		"1️⃣ first":          "1\u20e3 first",
		"👍🏽":                 "👍",
		"👨‍👩‍👧":              "👨👩👧",
		"🏳️‍🌈":               "🏳🌈",
		"🤷‍♂️":               "🤷♂",
		"กำ":                 "กํา",
		"का":                 "कआ",
		"दुःख":               "दु:ख",
		"स्ते":               "स्·ते",
		"a\tb":               "a   b",
		"\tb":                "    b",
		"日本\tb":              "日本    b",
		"x\n\ty":             "x\n    y",
		"\u0301x":            "◌\u0301x",
		"\u1112\u1161\u11ab": "\ud55c",
	} {
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSafeShowsSelectorsOutOfPlace(t *testing.T) {
	// Runs of selectors can carry any bytes unseen; only one after a picture is ordinary.
	for _, in := range []string{"⚠\ufe0f\ufe0f", "a\ufe0f", "👍\u200d", "a\u200db", "\u200d", "👍🏽🏽"} {
		out := Safe(in)
		if Width(out) <= Width(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Variation_Selector, r) || r == '\u200d' || isTone(r) {
				return -1
			}
			return r
		}, in)) {
			t.Errorf("Safe(%q) = %q hides what does not belong there", in, out)
		}
	}
}

func TestSafeBoundsClusters(t *testing.T) {
	out := Safe("Z" + strings.Repeat("\u0301", 40) + "x")
	if len(out) > 64 || !strings.HasPrefix(out, "Z\u0301") || !strings.HasSuffix(out, "\uFFFDx") {
		t.Errorf("40 marks became %d bytes: %q", len(out), out)
	}
	for rest := Safe("Z" + strings.Repeat("\u0301", 5000) + "x"); rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		if len(cluster) > maxCluster {
			t.Fatalf("a cluster of %d bytes is left", len(cluster))
		}
		rest = rest[len(cluster):]
	}
}

// A cluster may be as long as its file; making it drawable must not take the square of that.
func BenchmarkSafeHostile(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"marks", "\u0301"}, {"conjuncts", "क्"}, {"tones", "\U0001F3FD"}, {"family", "👩\u200d"}, {"flags", "🇩"}, {"jamo", "\u1112"},
	} {
		for _, kib := range []int{16, 64} {
			src := strings.Repeat(c.unit, kib<<10/len(c.unit))
			b.Run(fmt.Sprintf("%s/%dKiB", c.name, kib), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					Safe(src)
				}
			})
		}
	}
}

func TestSafeLineIsOneLine(t *testing.T) {
	if out := SafeLine("a\nb\r\nc\td"); strings.ContainsAny(out, "\n\r\t") {
		t.Errorf("SafeLine left a line break or tab: %q", out)
	}
}
