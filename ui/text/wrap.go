package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks plain text into lines of at most w cells: at spaces where it can, inside a
// word where it must. Line breaks of the text are kept, and so is the indentation of a line
// at its first row, up to half of w. A cluster wider than w is replaced by an ellipsis. The
// result has at least one line.
func Wrap(s string, w int) []string {
	return WrapIndent(s, w, "", "")
}

// WrapIndent is Wrap with a prefix before the first row of all, and another before every
// other row. The prefixes count in w; they may be styled. Prefixes that leave no room are
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
	room, restRoom := w-Width(prefix), w-Width(rest)
	if len(line) <= room && isASCII(line) {
		return append(out, prefix+line)
	}
	if least := min(room, restRoom); least < 4 {
		line = narrow(line, least)
	}
	if indent := len(line) - len(strings.TrimLeft(line, " ")); indent > room/2 {
		line = line[indent-room/2:]
	}
	start, col := 0, 0   // the row being filled: its first byte and its width so far
	brk, resume := -1, 0 // the last place to end it, and where the next row then starts
	indent, word := true, false
	for i := 0; i < len(line); {
		n, cw, _ := next(line[i:])
		space := n == 1 && line[i] == ' '
		if !space && col+cw > room {
			if brk < 0 {
				brk, resume = i, i
			}
			out = append(out, prefix+line[start:brk])
			prefix, room = rest, restRoom
			// What was read past the break is read again: the next row may have less room.
			start, i, col, brk, word = resume, resume, 0, -1, false
			continue
		}
		indent = indent && space
		if space && !indent {
			if word {
				brk = i
			}
			resume = i + n
		}
		word = !space
		col += cw
		i += n
		if word && breakAfter(line[i-n:i], line[i:]) && !strings.HasSuffix(line[:i], hashLead) {
			brk, resume = i, i
		}
	}
	return append(out, prefix+line[start:])
}

// narrow replaces the clusters that are wider than w.
func narrow(line string, w int) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		n, cw, _ := next(line[i:])
		if cw > w {
			b.WriteString(Ellipsis)
		} else {
			b.WriteString(line[i : i+n])
		}
		i += n
	}
	return b.String()
}

// hashLead begins a hash; the hyphen in it is no place to break.
const hashLead = "sha256-"

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
	if cluster[0] < 0xe2 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(cluster)
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}

// Part is a piece of a line: its bytes from From up to To.
type Part struct{ From, To int }

// WrapParts breaks a safe line into parts of at most w cells: after blanks where it can,
// inside a word where it must. The parts hold the whole line, but for blanks at the end of
// a part. A single character wider than w is a part of its own.
func WrapParts(s string, w int) []Part {
	if Width(s) <= w {
		return []Part{{0, len(s)}}
	}
	var out []Part
	start, col := 0, 0
	brk, brkCol := -1, 0 // after the last blank, and the width up to there
	for i := 0; i < len(s); {
		n, cw, _ := next(s[i:])
		c := s[i : i+n]
		if col+cw > w && i > start {
			end := i
			if brk > start {
				end = brk
			}
			out = append(out, Part{start, start + len(strings.TrimRight(s[start:end], " "))})
			if brk > start {
				col -= brkCol
			} else {
				col = 0
			}
			start, brk = end, -1
			for start < i && s[start] == ' ' {
				start, col = start+1, col-1
			}
		}
		i += n
		if c == " " && i-1 == start && len(out) > 0 {
			start = i // blanks at a break belong to no part
			continue
		}
		col += cw
		if c == " " && strings.TrimLeft(s[start:i], " ") != "" {
			brk, brkCol = i, col
		}
	}
	return append(out, Part{start, len(s)})
}

// Chop breaks a safe line into pieces of at most w cells, behind the last blank of a full one: nothing of it
// is left out, blanks neither. A character wider than w is a piece of its own.
func Chop(s string, w int) []string {
	if Width(s) <= w {
		return []string{s}
	}
	var out []string
	start, col := 0, 0
	for i := 0; i < len(s); {
		n, cw, _ := next(s[i:])
		if col+cw > w && i > start {
			end := i
			if k := start + strings.LastIndexByte(s[start:i], ' ') + 1; s[i] != ' ' && strings.TrimLeft(s[start:k], " ") != "" {
				end = k
			}
			out = append(out, s[start:end])
			start, col = end, Width(s[end:i])
		}
		i += n
		col += cw
	}
	return append(out, s[start:])
}
