package text

import "strings"

// Ellipsis stands for what Truncate cut away. It is one cell.
const Ellipsis = "…"

// Truncate cuts a line to at most w cells. What is cut ends in an ellipsis in the style of
// the text before it; styles and links that were open are closed. A cut never splits a
// cluster, so the result may be a cell narrower than w.
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w && isASCII(s) {
		return s
	}
	out, _ := truncate(s, w)
	return out
}

// truncate also returns the width of its result.
func truncate(s string, w int) (string, int) {
	if isASCII(s) {
		if len(s) <= w {
			return s, len(s)
		}
		return s[:w-1] + Ellipsis, w
	}
	var (
		st   state
		col  int
		keep int // bytes before the last point at which the ellipsis still fits
		kcol int
		over bool
	)
	// kst is the state at keep: what must be closed after the ellipsis. Only its kind
	// matters, not the bytes.
	var kopen string
	for i := 0; i < len(s); {
		n, cw, esc := next(s[i:])
		if esc {
			st.feed(s[i : i+n])
			i += n
			if col <= w-1 {
				keep, kopen = i, st.closing()
			}
			continue
		}
		if col+cw > w {
			over = true
			break
		}
		col += cw
		i += n
		if col <= w-1 {
			keep, kcol, kopen = i, col, st.closing()
		}
	}
	if !over {
		return s, col
	}
	return s[:keep] + Ellipsis + kopen, kcol + 1
}

// Pad truncates or pads a line to exactly w cells. An open style is closed before the
// padding, so that it does not run on.
func Pad(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if isASCII(s) {
		switch {
		case len(s) == w:
			return s
		case len(s) < w:
			return s + Spaces(w-len(s))
		}
		return s[:w-1] + Ellipsis
	}
	s, col := truncate(s, w)
	end := closingOf(s)
	if end == "" && col == w {
		return s
	}
	return s + end + Spaces(w-col)
}

// closingOf is what must be written to end the styles and links that s leaves open.
func closingOf(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 || strings.HasSuffix(s, reset) && !strings.Contains(s, "\x1b]8;") {
		return ""
	}
	var st state
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], 0x1b)
		if j < 0 {
			break
		}
		i += j
		n := escape(s[i:])
		st.feed(s[i : i+n])
		i += n
	}
	return st.closing()
}

// Slice is the cells of a line without styles from one up to, but not, another. A character
// that is cut in half leaves blanks.
func Slice(s string, from, to int) string {
	var b strings.Builder
	for i, col := 0, 0; i < len(s) && col < to; {
		n, w, _ := next(s[i:])
		switch {
		case col >= from && col+w <= to:
			b.WriteString(s[i : i+n])
		case col+w > from:
			b.WriteString(Spaces(min(col+w, to) - max(col, from)))
		}
		i, col = i+n, col+w
	}
	return b.String()
}

// PadLeft is Pad with the text at the right edge.
func PadLeft(s string, w int) string {
	s = Truncate(s, w)
	return Spaces(w-Width(s)) + s + closingOf(s)
}

// Center pads a line on both sides to exactly w cells; an odd cell goes to the right.
func Center(s string, w int) string {
	s = Truncate(s, w)
	return Pad(Spaces((w-Width(s))/2)+s, w)
}

const blanks = "                                                                                                                                " // 128

// Spaces is n blanks; "" when n is not positive.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blanks):
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Fit returns exactly h lines of exactly w cells: longer lines are truncated, missing ones
// are blank. It always returns a new slice.
func Fit(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		if i < len(lines) {
			out[i] = Pad(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

// Columns sets blocks side by side. The blocks should have equal heights; a shorter one is
// continued with blanks of the width of its first line.
func Columns(parts ...[]string) []string {
	h := 0
	for _, p := range parts {
		h = max(h, len(p))
	}
	out := make([]string, h)
	var b strings.Builder
	for y := range out {
		b.Reset()
		for _, p := range parts {
			switch {
			case y < len(p):
				b.WriteString(p[y])
			case len(p) > 0:
				b.WriteString(Spaces(Width(p[0])))
			}
		}
		out[y] = b.String()
	}
	return out
}
