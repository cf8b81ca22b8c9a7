package markdown

import (
	"math/bits"
	"strings"
)

// Seen says which source lines of a document have been on the screen: of each a bit for every eighth of its rows, since
// a line may be longer than the window.
type Seen []byte

const whole = 1<<8 - 1

// See adds what is in the window, with the lines between its rows that no row shows.
func (d *Doc) See(s Seen) Seen {
	n := d.Lines()
	if len(s) != n+1 { // the lines count from 1
		s = make(Seen, n+1)
	}
	f := d.flow()
	_, above := f.sourceAt(-1)
	for y := range d.h {
		first, last := f.sourceAt(y)
		if first == 0 {
			break
		}
		if next, _ := f.sourceAt(y + 1); next == 0 {
			last = n
		}
		for l := above + 1; l < first; l++ {
			s[l] = whole
		}
		from := max(first, above+1)
		if y == 0 { // it may have begun above the window
			from = first
		}
		for l := from; l <= min(last, n); l++ {
			s[l] |= f.seen(l, y, d.h)
		}
		above = max(above, last)
	}
	return s
}

// seen are the eighths of a line's rows that a window of h rows shows; one of them is in row y.
func (f *flow) seen(line, y, h int) (out byte) {
	has := func(y int) bool {
		first, last := f.sourceAt(y)
		return first > 0 && first <= line && line <= last
	}
	from, to := y, y+1
	for has(from - 1) {
		from--
	}
	for has(to) {
		to++
	}
	for i, rows := 0, to-from; i < 8; i++ {
		if from+i*rows/8 >= 0 && from+((i+1)*rows-1)/8 < h {
			out |= 1 << i
		}
	}
	return out
}

// Unseen is how many rows the rest takes, rather too many than too few: the window may be narrower than the text needs, and
// a cell of a wide table has a row of its own.
func (d *Doc) Unseen(s Seen) int {
	eighths := 0
	for l := 1; l < len(s); l++ {
		line := d.doc.src.line(l)
		eighths += (8 - bits.OnesCount8(s[l])) * (1 + strings.Count(line, "|") + 2*len(line)/d.textW())
	}
	return (eighths + 7) / 8
}

// Percent is how much of the document that is; 100 only for the whole.
func (s Seen) Percent() int {
	n := 0
	for _, l := range s {
		n += bits.OnesCount8(l)
	}
	return 100 * n / max(1, 8*(len(s)-1))
}
