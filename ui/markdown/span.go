package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"vespe/ui/text"
)

// span is a piece of a line in one style.
type span struct {
	text string
	sgr  string // the SGR sequence that starts the style; "" for none
	link string // target of an OSC 8 hyperlink; "" for none
	// Where the piece stands in the searchable text of its unit: the index of the text and
	// of its first rune among those that are not white space. part is -1 for decoration.
	part, at int
}

// line is one row of the screen before the indentation of lists and quotes.
type line struct {
	spans       []span
	fill        string // SGR of the blanks that pad the row
	first, last int    // source lines, relative to the first line of the unit
	turns       []turn // where a further source line begins on the row
}

// turn is where a source line begins on a row that shows several.
type turn struct {
	line int // relative to the first line of the unit
	at   int // cell
}

// says reports that there is a letter, a digit or a sign of a script on the row, and not only decoration.
func (l *line) says() bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return says(s.text) })
}

func says(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

func (l *line) width() int {
	w := 0
	for _, s := range l.spans {
		w += text.Width(s.text)
	}
	return w
}

// add appends a piece, joining it with the one before where nothing tells them apart.
func (l *line) add(s span) {
	if s.text == "" {
		return
	}
	if n := len(l.spans); n > 0 {
		p := &l.spans[n-1]
		if p.sgr == s.sgr && p.link == s.link && p.part == s.part && (s.part < 0 || p.at+inked(p.text) == s.at) {
			p.text += s.text
			return
		}
	}
	l.spans = append(l.spans, s)
}

// deco is a span that is no part of the text.
func deco(sgr, s string) span { return span{text: s, sgr: sgr, part: -1} }

// inked counts the runes of s that are not white space.
func inked(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c != ' ' && c != '\n' && c != '\t' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			n++
		}
		i += size
	}
	return n
}

// write appends the spans as a terminal understands them.
func (l *line) write(b *strings.Builder) {
	for _, s := range l.spans {
		writeSpan(b, s)
	}
}

func writeSpan(b *strings.Builder, s span) {
	if s.link != "" {
		b.WriteString(ansi.SetHyperlink(s.link))
	}
	if s.sgr != "" {
		b.WriteString(s.sgr)
		b.WriteString(s.text)
		b.WriteString(ansi.ResetStyle)
	} else {
		b.WriteString(s.text)
	}
	if s.link != "" {
		b.WriteString(ansi.ResetHyperlink())
	}
}

// cluster reads the first grapheme cluster of s, which is not empty.
func cluster(s string) (c string, w int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	c, w = ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if c == "" {
		c = s[:1]
	}
	return c, w
}
