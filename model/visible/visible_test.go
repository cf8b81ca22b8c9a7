package visible

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestString(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "plan: add é, 日本 and ✓\n\tdone", "plan: add é, 日本 and ✓\n\tdone"},
		{"empty", "", ""},
		{"escape", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"carriage return", "good\rEVIL", "good␍EVIL"},
		{"crlf", "a\r\nb", "a␍\nb"},
		{"null, bell, backspace, delete", "\x00\a\b\x7f", "␀␇␈␡"},
		{"c1", "a\u009b31mb\u0085", "a⟨U+009B⟩31mb⟨U+0085⟩"},
		{"override", "a\u202eb\u202c", "a⟨U+202E⟩b⟨U+202C⟩"},
		{"isolates", "\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"},
		{"direction marks", "\u200e\u200f\u061c", "⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"},
		{"separators", "a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"},
		{"zero width", "a\u200bb\u2060c\ufeffd", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d"},
		{"soft hyphen", "co\u00adop", "co⟨U+00AD⟩op"},
		{"hangul fillers", "\u115f\u1160\u3164\uffa0", "⟨U+115F⟩⟨U+1160⟩⟨U+3164⟩⟨U+FFA0⟩"},
		{"tags", "\U000e0001\U000e0041\U000e007f", "⟨U+E0001⟩⟨U+E0041⟩⟨U+E007F⟩"},
		{"flag made of tags", "🏴\U000e0067\U000e007f", "🏴⟨U+E0067⟩⟨U+E007F⟩"},
		{"selector supplement", "x\U000e0100", "x⟨U+E0100⟩"},
		{"noncharacters", "\ufffe\uffff\ufdd0\U0010ffff", "⟨U+FFFE⟩⟨U+FFFF⟩⟨U+FDD0⟩⟨U+10FFFF⟩"},
		{"annotation", "\ufff9a\ufffb", "⟨U+FFF9⟩a⟨U+FFFB⟩"},
		{"not utf-8", "a\xffb\xc3", "a⟨0xFF⟩b⟨0xC3⟩"},
		{"surrogate", "\xed\xa0\x80", "⟨0xED⟩⟨0xA0⟩⟨0x80⟩"},
		{"overlong", "\xc0\x80", "⟨0xC0⟩⟨0x80⟩"},
		{"real replacement character", "\ufffd", "\ufffd"},
		{"arabic number sign is drawn", "\u0600", "\u0600"},

		{"emoji presentation", "❤️ ok", "❤️ ok"},
		{"keycap", "1️⃣", "1️⃣"},
		{"family", "👩‍👩‍👧", "👩‍👩‍👧"},
		{"skin tone", "👩🏽‍💻", "👩🏽‍💻"},
		{"selector then joiner", "🏳️‍🌈", "🏳️‍🌈"},
		{"selector after a letter", "a\ufe0f", "a⟨U+FE0F⟩"},
		{"selector at the start", "\ufe0fa", "⟨U+FE0F⟩a"},
		{"two selectors", "❤\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩"},
		{"text selector", "❤\ufe0e", "❤⟨U+FE0E⟩"},
		{"digit without keycap", "1\ufe0f2", "1⟨U+FE0F⟩2"},
		{"joiner between letters", "a\u200db", "a⟨U+200D⟩b"},
		{"joiner at the end", "👩\u200d", "👩⟨U+200D⟩"},
		{"joiner at the start", "\u200d👩", "⟨U+200D⟩👩"},
		{"joiner after a letter", "a\u200d👩", "a⟨U+200D⟩👩"},
		{"two joiners", "👩\u200d\u200d👩", "👩⟨U+200D⟩⟨U+200D⟩👩"},
		{"skin tone of nothing", "🏽\u200d👩", "🏽⟨U+200D⟩👩"},
		{"non-joiner", "می\u200cخواهم", "می⟨U+200C⟩خواهم"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := String(tt.in); got != tt.want {
				t.Errorf("String(%+q)\n got %+q\nwant %+q", tt.in, got, tt.want)
			}
			if got := Bytes([]byte(tt.in)); got != tt.want {
				t.Errorf("Bytes(%+q) = %+q, want %+q", tt.in, got, tt.want)
			}
			if got, want := Has(tt.in), tt.in != tt.want; got != want {
				t.Errorf("Has(%+q) = %v, want %v", tt.in, got, want)
			}
			checkClean(t, tt.in, String(tt.in), false)
			checkClean(t, tt.in, Line(tt.in), true)
		})
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\tb\nc\r\nd\x1b"), "a b␊c␍␊d␛"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
	if got := Line("plain é"); got != "plain é" {
		t.Errorf("Line changed plain text to %q", got)
	}
}

// forbidden is the rule from the properties of the Unicode tables themselves.
func forbidden(r rune) bool {
	if unicode.Is(unicode.Cf, r) {
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Noncharacter_Code_Point, unicode.Bidi_Control)
}

func TestTablesAgreeWithUnicode(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		want := forbidden(r) && r != '\n' && r != '\t'
		if got := Has(s); got != want {
			t.Errorf("Has(%U) = %v, want %v", r, got, want)
		}
		if out := String(s); want == (out == s) {
			t.Errorf("String(%U) = %q", r, out)
		}
	}
}

func TestTablesAreSorted(t *testing.T) {
	for _, table := range [][]span{hiddenSpans[:], pictographicSpans[:]} {
		last := rune(-1)
		for _, s := range table {
			if s.first <= last || s.last < s.first {
				t.Errorf("%X..%X is out of order", s.first, s.last)
			}
			last = s.last
		}
	}
}

// checkClean holds for every input: nothing forbidden comes out, and the visible part of
// the input is all there, in order.
func checkClean(t *testing.T, in, out string, line bool) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%+q is not UTF-8", out)
	}
	for i, r := range out {
		switch {
		case !forbidden(r):
		case !line && (r == '\n' || r == '\t'):
		case r == zwj || r == vs16:
			before, _ := utf8.DecodeLastRuneInString(out[:i])
			if !(pictographic(before) || before == vs16 || skinTone(before) || keycapBase(before)) {
				t.Fatalf("%U after %U in %+q", r, before, out)
			}
		default:
			t.Fatalf("%U came out in %+q from %+q", r, out, in)
		}
	}
	rest := out
	for i, r := range in {
		if r == utf8.RuneError && !strings.HasPrefix(in[i:], "\ufffd") || forbidden(r) {
			continue
		}
		at := strings.IndexRune(rest, r)
		if at < 0 {
			t.Fatalf("%U is missing in %+q from %+q", r, out, in)
		}
		rest = rest[at+utf8.RuneLen(r):]
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31m", "1️⃣ 👩🏽‍💻 🏳️‍🌈", "\xff\u202e", "a\u200d\ufe0f", "\U000e0041\r\n\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range []bool{false, true} {
			out := escape(s, line)
			checkClean(t, s, out, line)
			if again := escape(out, line); again != out {
				t.Fatalf("twice is not once: %+q, then %+q", out, again)
			}
		}
		if !Has(s) && String(s) != s {
			t.Fatalf("%+q has nothing to show but changed", s)
		}
	})
}

func TestCleanTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("A plan with ümläuts, 日本語 and 👩‍💻.\n", 50)
	n := testing.AllocsPerRun(10, func() {
		if String(s) != s || Has(s) {
			t.Error("clean text changed")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for clean text, want 0", n)
	}
}

func BenchmarkString(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ascii", strings.Repeat("A line of a plan, forty characters long.\n", 1000)},
		{"cjk", strings.Repeat("計画を立てて、確認してください。\n", 1000)},
		{"dirty", strings.Repeat("a \x1b[31mline\x1b[0m that is not clean\r\n", 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				String(c.text)
			}
		})
	}
}
