package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks plain text into lines of at most w cells: at spaces where it can, inside a
// word where it must. Line breaks of the text are kept, and so is the indentation of a line
// at its first row. A cluster wider than w is replaced by "…". The result has at least one
// line.
func Wrap(s string, w int) []string {
	return WrapIndent(s, w, "", "")
}

// WrapIndent is Wrap with a prefix before the first row of all, and another before every
// other row. The prefixes count in w; they may be styled. A prefix that leaves no room is
// dropped.
func WrapIndent(s string, w int, first, rest string) []string {
	w = max(1, w)
	if Width(first) >= w || Width(rest) >= w {
		first, rest = "", ""
	}
	var out []string
	prefix := first
	for line := range strings.SplitSeq(s, "\n") {
		out = wrapLine(out, strings.TrimRight(line, " "), w, prefix, rest)
		prefix = rest
	}
	return out
}

func wrapLine(out []string, line string, w int, prefix, rest string) []string {
	room := w - Width(prefix)
	if len(line) <= room && isASCII(line) {
		return append(out, prefix+line)
	}
	start, col := 0, 0     // the row being filled: its first byte and its width
	brk, brkNext := -1, -1 // the last place to break it: end of row, start of the next
	inIndent, lastWasWord := true, false
	flush := func(end, nextStart int) {
		out = append(out, prefix+line[start:end])
		prefix, room = rest, w-Width(rest)
		start, brk, brkNext = nextStart, -1, -1
		col = Width(line[start:max(start, nextStart)])
	}
	for i := 0; i < len(line); {
		n, cw, _ := next(line[i:])
		space := line[i] == ' '
		if !space {
			inIndent = false
		}
		if space && !inIndent {
			if lastWasWord {
				brk = i
			}
			brkNext = i + n
		}
		lastWasWord = !space
		if col+cw > room && !(space && !inIndent) {
			switch {
			case cw > room:
				flush(i, i+n)
				out[len(out)-1] += Ellipsis
				i += n
				continue
			case brk >= 0 && brk > start:
				end, ns := brk, brkNext
				flush(end, ns)
				col = Width(line[start:i])
			default:
				flush(i, i)
			}
		}
		col += cw
		i += n
		if !space && breakAfter(line[i-n:i], line[i:]) {
			brk, brkNext = i, i
		}
	}
	return append(out, prefix+strings.TrimRight(line[start:], " "))
}

// breakAfter reports whether a row may end after a cluster without a space: after a hyphen
// or slash inside a word, and between ideographs.
func breakAfter(cluster, following string) bool {
	if following == "" || following[0] == ' ' {
		return false
	}
	switch cluster {
	case "-", "/":
		return true
	}
	r, _ := utf8.DecodeRuneInString(cluster)
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}
