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
	if settled(s) {
		return s
	}
	// A stand-in can join with what follows it, so what comes out is looked at again. Two
	// rounds settle everything known; the third replaces whatever is left outright.
	for range 3 {
		s = replaceClusters(s, standIn)
		if settled(s) {
			return s
		}
	}
	return replaceClusters(s, func(string) string { return "\uFFFD" })
}

func replaceClusters(s string, with func(string) string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] < 0x80 && (i+1 == len(s) || s[i+1] < 0x80) {
			b.WriteByte(s[i])
			i++
			continue
		}
		cluster, _ := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if steady(cluster) {
			b.WriteString(cluster)
		} else {
			b.WriteString(with(cluster))
		}
		i += len(cluster)
	}
	return b.String()
}

// settled reports whether every cluster of s is steady.
func settled(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < 0x80 && (i+1 == len(s) || s[i+1] < 0x80) {
			i++
			continue
		}
		cluster, _ := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if !steady(cluster) {
			return false
		}
		i += len(cluster)
	}
	return true
}

// maxCluster is the most bytes that one cluster may have: a letter with half a dozen marks.
// Longer ones are made to smear over the lines above and below.
const maxCluster = 24

// steady reports whether one cluster is as wide by both rules and can be seen.
func steady(cluster string) bool {
	if cluster == "\n" {
		return true
	}
	w := ansi.StringWidth(cluster)
	return w > 0 && w == ansi.StringWidthWc(cluster) && len(cluster) <= maxCluster
}

// all reports whether every cluster of s is steady; unlike settled it is for short strings
// that are about to replace one cluster.
func all(s string) bool { return s != "" && settled(s) }

// standIn is the nearest steady text to a cluster that is not.
func standIn(cluster string) string {
	// A presentation selector only chooses between a picture and a sign.
	bare := strings.Map(func(r rune) rune {
		if r == 0xfe0e || r == 0xfe0f || r == 0x20e3 {
			return -1
		}
		return r
	}, cluster)
	if all(bare) {
		return bare
	}
	if c := norm.NFC.String(bare); all(c) { // Hangul from its letters
		return c
	}
	if parts := strings.ReplaceAll(bare, "\u200d", ""); parts != bare && all(parts) {
		return parts // a family as its members, as Unicode says for fonts without it
	}
	return runeByRune(bare)
}

// runeByRune keeps what it can of a cluster and replaces the rest, mark by mark.
func runeByRune(cluster string) string {
	out := ""
	for _, r := range cluster {
		c := string(r)
		switch {
		case len(out)+len(c) <= maxCluster && all(out+c):
			out += c
		case r >= 0x1f3fb && r <= 0x1f3ff && out != "": // the tone of a skin
		case r == 0x200d || r == 0xfe0e || r == 0xfe0f || unicode.Is(unicode.Mn, r) && out != "" && len(out) > maxCluster/2:
		case r == 0x0e33 || r == 0x0eb3: // sara am is nikhahit and sara aa
			out += string(r-0x33+0x4d) + string(r-1)
		case spelledOut(r) != 0 && all(out+string(spelledOut(r))):
			out += string(spelledOut(r))
		case out == "" && unicode.Is(unicode.M, r) && all("◌"+c):
			out = "◌" + c
		case out != "" && unicode.IsLetter(r) && all(out+"·"+c): // a conjunct, its letters apart
			out += "·" + c
		case !strings.HasSuffix(out, "\uFFFD"):
			out += "\uFFFD"
		}
	}
	if !utf8.ValidString(out) || out == "" {
		return "\uFFFD"
	}
	return out
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
