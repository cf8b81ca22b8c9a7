package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells of a line, escape sequences not counted.
func Width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	w := 0
	for i := 0; i < len(s); {
		n, cw, _ := next(s[i:])
		i += n
		w += cw
	}
	return w
}

// isASCII reports whether s is printable ASCII only, so that each byte is one cell.
func isASCII(s string) bool {
	for i := range len(s) {
		if s[i]-0x20 >= 0x7f-0x20 {
			return false
		}
	}
	return true
}

// next reads one unit of s: an escape sequence (esc, no width) or one grapheme cluster. n
// is its length in bytes, at least 1 for a non-empty s.
func next(s string) (n, width int, esc bool) {
	if s[0] == 0x1b {
		return escape(s), 0, true
	}
	if n, w := certain(s); n > 0 {
		return n, w, false
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster)), w, false
}

// certain recognizes the clusters that most text consists of without segmenting it: ASCII,
// Latin letters, box drawing and common ideographs, when nothing follows that could combine
// with them. Both rules of width agree on them. n is 0 when it does not know.
func certain(s string) (n, width int) {
	switch c := s[0]; {
	case c < 0x20 || c == 0x7f:
		return 1, 0 // nothing combines with a control character
	case c < 0x80:
		n, width = 1, 1
	case c >= 0xc3 && c <= 0xcb && len(s) >= 2: // U+00C0–02FF
		n, width = 2, 1
	case c == 0xe2 && len(s) >= 3 && plainE2(s[1]):
		n, width = 3, 1
	case c >= 0xe5 && c <= 0xe9 && len(s) >= 3: // U+5000–9FFF
		n, width = 3, 2
	default:
		return 0, 0
	}
	if n == len(s) {
		return n, width
	}
	// What follows must not combine: U+0000–02FF, box drawing and ideographs do not.
	switch f := s[n]; {
	case f < 0x80, f >= 0xc2 && f <= 0xcb, f >= 0xe5 && f <= 0xe9:
		return n, width
	case f == 0xe2 && n+1 < len(s) && plainE2(s[n+1]):
		return n, width
	}
	return 0, 0
}

// plainE2 reports whether e2 <b> xx is a block of one-cell characters that do not combine:
// U+2500–25BF (box drawing, blocks, most geometric shapes).
func plainE2(b byte) bool { return b >= 0x94 && b <= 0x96 }

// escape is the length of the escape sequence at the start of s, which starts with ESC: CSI
// up to its final byte, OSC, DCS, APC and PM up to their terminator, otherwise ESC and one
// byte. An unterminated sequence runs to the end of s.
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 && s[1] == ']' {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return 1 + n
}

// Strip returns s without its escape sequences.
func Strip(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], 0x1b)
		if j < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+j])
		i += j
		i += escape(s[i:])
	}
	return b.String()
}

// state follows the escape sequences of a line: what is open at a point.
type state struct {
	sgr  []byte // the SGR sequences since the last reset, as they stood
	link bool   // an OSC 8 hyperlink is open
}

const reset = "\x1b[m"

// feed takes one escape sequence.
func (st *state) feed(seq string) {
	switch {
	case isSGR(seq):
		if isReset(seq) {
			st.sgr = st.sgr[:0]
			return
		}
		st.sgr = append(st.sgr, seq...)
	case strings.HasPrefix(seq, "\x1b]8;"):
		// ESC ] 8 ; params ; uri ST: an empty uri closes the link.
		_, uri, _ := strings.Cut(seq[4:], ";")
		uri = strings.TrimRight(uri, "\x1b\\\a")
		st.link = uri != ""
	}
}

func isSGR(seq string) bool {
	return len(seq) >= 3 && seq[1] == '[' && seq[len(seq)-1] == 'm'
}

// isReset reports whether an SGR sequence ends with everything reset.
func isReset(seq string) bool {
	return seq == "\x1b[m" || seq == "\x1b[0m"
}

// closing is what ends everything that is open.
func (st *state) closing() string {
	switch {
	case st.link && len(st.sgr) > 0:
		return "\x1b]8;;\x1b\\" + reset
	case st.link:
		return "\x1b]8;;\x1b\\"
	case len(st.sgr) > 0:
		return reset
	}
	return ""
}
