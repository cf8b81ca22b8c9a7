package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"vespe/model/visible"
)

// TabWidth is the distance of tab stops.
const TabWidth = 4

// Safe makes text that came from a file drawable. Control, bidirectional and invisible
// characters become visible escapes (visible.String), tabs become blanks up to the next
// stop, and each cluster that the two rules of width measure differently is replaced by a
// stand-in of the same meaning and one width. Line breaks are kept. Safe(Safe(s)) is
// Safe(s).
func Safe(s string) string {
	if plain(s) {
		return s
	}
	return settle(expandTabs(visible.String(s)))
}

// SafeLine is Safe for one line: line breaks and tabs become visible too, or blanks.
func SafeLine(s string) string {
	if isASCII(s) {
		return s
	}
	return settle(expandTabs(visible.Line(s)))
}

// plain reports whether s is printable ASCII and line feeds only.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c-0x20 >= 0x7f-0x20 && c != '\n' {
			return false
		}
	}
	return true
}

func expandTabs(s string) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		col := 0
		for j, part := range strings.Split(line, "\t") {
			if j > 0 {
				n := TabWidth - col%TabWidth
				b.WriteString(Spaces(n))
				col += n
			}
			part = settle(part)
			b.WriteString(part)
			col += Width(part)
		}
	}
	return b.String()
}

// settle replaces what has no certain width.
func settle(s string) string {
	if isASCII(s) {
		return s
	}
	// The selectors and joiners that visible leaves only hold emoji together; without them a
	// family is its members side by side, as Unicode says for fonts that lack it.
	if strings.ContainsAny(s, "\uFE0F\u200D") {
		s = strings.Map(func(r rune) rune {
			if r == '\uFE0F' || r == '\u200D' {
				return -1
			}
			return r
		}, s)
	}
	// A stand-in can join with what follows it, so what comes out is looked at again. Two
	// rounds settle everything known; after the third, whatever is left is replaced outright.
	for range 3 {
		if settled(s) {
			return s
		}
		s = replaceClusters(s, standIn)
	}
	if settled(s) {
		return s
	}
	return replaceClusters(s, func(string) string { return "\uFFFD" })
}

func replaceClusters(s string, with func(string) string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		n, ok := cluster(s, i)
		if ok {
			b.WriteString(s[i : i+n])
		} else {
			b.WriteString(with(s[i : i+n]))
		}
		i += n
	}
	return b.String()
}

// settled reports whether every cluster of s is steady.
func settled(s string) bool {
	for i := 0; i < len(s); {
		n, ok := cluster(s, i)
		if !ok {
			return false
		}
		i += n
	}
	return true
}

// maxCluster is the most bytes that one cluster may have: a letter with half a dozen marks.
// Longer ones are made to smear over the lines above and below.
const maxCluster = 24

// cluster is the length of the cluster at s[i:], and whether it is steady: seen, as wide by
// both rules, and apart from whatever may be set beside it.
func cluster(s string, i int) (n int, steady bool) {
	if n, _ := certain(s[i:]); n > 0 {
		return n, true
	}
	c, w := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
	if len(c) == 0 {
		return 1, false
	}
	start := i == 0 || s[i-1] == '\n'
	return len(c), w > 0 && w == ansi.StringWidthWc(c) && len(c) <= maxCluster && !(start && joinsBack(c)) && !joinsAhead(c)
}

// joinsBack reports whether a cluster at the start of a text would become part of what is
// drawn before it: a mark without its letter, a tone without its hand, the end of a Hangul
// syllable.
func joinsBack(c string) bool {
	r, n := utf8.DecodeRuneInString(c)
	if r >= 0x1160 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7ff {
		return true
	}
	first, _ := ansi.FirstGraphemeCluster("a"+c[:n], ansi.GraphemeWidth)
	return len(first) > 1
}

// joinsAhead reports whether a cluster would take what is drawn after it into itself, as a
// few signs of Indic scripts do.
func joinsAhead(c string) bool {
	_, n := utf8.DecodeLastRuneInString(c)
	first, _ := ansi.FirstGraphemeCluster(c[len(c)-n:]+"a", ansi.GraphemeWidth)
	return len(first) > n
}

// standIn is the nearest steady text to a cluster that is not.
func standIn(cluster string) string {
	// A cluster can be as long as a file. The work on one is quadratic, so it is done in
	// pieces.
	if len(cluster) > 4*maxCluster {
		var b strings.Builder
		for len(cluster) > 0 {
			n := min(4*maxCluster, len(cluster))
			for n < len(cluster) && !utf8.RuneStart(cluster[n]) {
				n--
			}
			b.WriteString(standIn(cluster[:n]))
			cluster = cluster[n:]
		}
		return b.String()
	}
	all := func(s string) bool { return s != "" && settled(s) }
	if c := norm.NFC.String(cluster); all(c) { // Hangul from its letters
		return c
	}
	out, lost, toned := "", false, false
	for _, r := range cluster {
		c := string(r)
		switch {
		case lost && unicode.Is(unicode.M, r): // one sign stands for every mark that is lost
		case all(out + c):
			out += c
		case isTone(r) && !toned && endsInSymbol(out): // a hand without the tone of its skin
			toned = true
		case r == 0x0e33 || r == 0x0eb3: // sara am is nikhahit and sara aa
			out += string(r-0x33+0x4d) + string(r-1)
		case spelledOut(r) != 0 && all(out+string(spelledOut(r))):
			out += string(spelledOut(r))
		case out == "" && unicode.Is(unicode.M, r) && all("◌"+c):
			out = "◌" + c
		case out != "" && unicode.IsLetter(r) && all(out+"·"+c): // a conjunct, its letters apart
			out += "·" + c
		default:
			out += "\uFFFD"
			lost = true
		}
	}
	return out
}

func isTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

func endsInSymbol(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSymbol(r) && r != utf8.RuneError && !isTone(r)
}

// spelledOut is the vowel letter for the vowel sign of an Indic script, or ":" for a
// visarga; 0 for everything else. The nine scripts from Devanagari to Malayalam lie in
// blocks of 128 with the same layout: a letter is 0x38 before its sign.
func spelledOut(r rune) rune {
	if r < 0x0900 || r > 0x0d7f {
		return 0
	}
	switch off := r & 0x7f; {
	case off == 0x03:
		return ':'
	case off >= 0x3e && off <= 0x4c && off != 0x44:
		return r - 0x38
	}
	return 0
}
