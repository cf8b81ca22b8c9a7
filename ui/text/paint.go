package text

import "strings"

// Highlight lays a style over ranges of cells of a line that may itself be styled. open is
// the SGR sequence that starts the style (style.Ink's Open); what it does not set shows
// through from below. Ranges are [from, to) in cells, in order and not overlapping; a range
// that ends inside a wide cluster takes it whole.
func Highlight(s string, ranges [][2]int, open string) string {
	if open == "" || len(ranges) == 0 || s == "" {
		return s
	}
	var (
		b   strings.Builder
		st  state
		col int
		r   int
		on  bool
	)
	b.Grow(len(s) + len(ranges)*(len(open)+8))
	for i := 0; i < len(s); {
		n, cw, esc := next(s[i:])
		if esc {
			st.feed(s[i : i+n])
			b.WriteString(s[i : i+n])
			if on {
				b.WriteString(open)
			}
			i += n
			continue
		}
		for r < len(ranges) && (ranges[r][1] <= col || ranges[r][1] <= ranges[r][0]) {
			r++
		}
		inside := r < len(ranges) && ranges[r][0] < col+max(1, cw) && ranges[r][1] > col
		if inside != on {
			if inside {
				b.WriteString(open)
			} else {
				b.WriteString(reset)
				b.Write(st.sgr)
			}
			on = inside
		}
		b.WriteString(s[i : i+n])
		i += n
		col += cw
	}
	if on {
		b.WriteString(reset)
		b.Write(st.sgr)
	}
	return b.String()
}

// Paint pads or truncates a line to exactly w cells and lays a style under the whole of it:
// styles inside the line keep what they set, and a reset inside it falls back to open
// instead of to nothing. It is how a selected row gets its background.
func Paint(s string, w int, open string) string {
	s = Pad(s, w)
	if open == "" || w <= 0 {
		return s
	}
	if strings.IndexByte(s, 0x1b) < 0 {
		return open + s + reset
	}
	var b strings.Builder
	b.Grow(len(s) + 4*len(open))
	b.WriteString(open)
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], 0x1b)
		if j < 0 {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+j])
		i += j
		n := escape(s[i:])
		b.WriteString(s[i : i+n])
		if seq := s[i : i+n]; isSGR(seq) && isReset(seq) {
			b.WriteString(open)
		}
		i += n
	}
	b.WriteString(reset)
	return b.String()
}

// ByteCells turns ranges of bytes [from, to) of a plain line, ascending, into ranges of
// cells for Highlight. A range that splits a cluster takes it whole.
func ByteCells(s string, ranges [][2]int) [][2]int {
	var out [][2]int
	col, k := 0, 0
	for i := 0; i < len(s) && k < len(ranges); {
		n, cw, _ := next(s[i:])
		for k < len(ranges) && ranges[k][1] <= i {
			k++
		}
		if k < len(ranges) && ranges[k][0] < i+n && ranges[k][1] > i && cw > 0 {
			out = join(out, col, col+cw)
		}
		col += cw
		i += n
	}
	return out
}

func join(out [][2]int, from, to int) [][2]int {
	if n := len(out); n > 0 && out[n-1][1] == from {
		out[n-1][1] = to
		return out
	}
	return append(out, [2]int{from, to})
}
