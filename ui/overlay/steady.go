package overlay

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// steady makes a styled line that somebody else drew safe to draw: escape sequences other
// than SGR and control characters go, and a cluster whose width is uncertain becomes a
// replacement character of the width that the line was laid out for.
func steady(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	var state byte
	for len(s) > 0 {
		seq, w, n, next := ansi.DecodeSequence(s, state, nil)
		state = next
		switch {
		case n <= 0:
			return b.String()
		case w > 0:
			if ansi.StringWidthWc(seq) == w {
				b.WriteString(seq)
			} else {
				b.WriteString("\uFFFD")
				b.WriteString(strings.Repeat(" ", w-1))
			}
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			b.WriteString(seq)
		}
		s = s[n:]
	}
	return b.String()
}
