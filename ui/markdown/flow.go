package markdown

import "sort"

// flow is a sequence of units of unknown heights and a window on it. Only units near the
// window are ever rendered: its place is a unit and a row of it, never a row of the whole.
type flow struct {
	n     int                    // units
	laid  func(i int) laid       // a unit's rows, with what stands between them; renders it
	lines func(i int) (a, b int) // its source lines

	unit, row int // the first row in the window
	h         int // rows of the window
}

// height is how many rows a unit takes, with what stands between them.
func (f *flow) height(i int) int { return len(f.laid(i).slots) }

// scroll moves the window by rows and stops at both ends.
func (f *flow) scroll(n int) {
	f.unit, f.row = f.moved(f.unit, f.row, n)
	f.clamp()
}

// moved is the place n rows from a place; it stops at both ends.
func (f *flow) moved(unit, row, n int) (int, int) {
	row += n
	for row < 0 && unit > 0 {
		unit--
		row += f.height(unit)
	}
	row = max(0, row)
	for unit < f.n {
		h := f.height(unit)
		if row < h {
			return unit, row
		}
		if unit == f.n-1 {
			return unit, max(0, h-1)
		}
		row -= h
		unit++
	}
	return unit, row
}

// lastTop is the lowest place of the window: its last row is the last there is.
func (f *flow) lastTop() (unit, row int) {
	left := f.h
	for i := f.n - 1; i >= 0; i-- {
		h := f.height(i)
		if h >= left {
			return i, h - left
		}
		left -= h
	}
	return 0, 0
}

// clamp keeps the window inside.
func (f *flow) clamp() {
	if f.n == 0 {
		f.unit, f.row = 0, 0
		return
	}
	f.unit = min(max(0, f.unit), f.n-1)
	f.row = min(max(0, f.row), f.height(f.unit)-1)
	if f.fits() {
		u, r := f.lastTop()
		f.unit, f.row = u, r
	}
}

// fits reports whether what follows the top of the window does not fill it.
func (f *flow) fits() bool {
	left := f.h + f.row
	for i := f.unit; i < f.n; i++ {
		if left -= f.height(i); left < 0 {
			return false
		}
	}
	return true
}

// atEnd reports whether the last row is in the window.
func (f *flow) atEnd() bool { return f.fits() }

// unitAt is the last unit that begins at or before a source line.
func (f *flow) unitAt(line int) int {
	i := sort.Search(f.n, func(i int) bool {
		a, _ := f.lines(i)
		return a > line
	})
	// Units may begin on the same line, and a line may belong to the one before.
	for i--; i > 0; i-- {
		if _, b := f.lines(i - 1); b < line {
			break
		}
	}
	return max(0, i)
}

// find is the place of a source line.
func (f *flow) find(line int) (unit, row int) {
	if f.n == 0 {
		return 0, 0
	}
	unit = f.unitAt(line)
	for {
		first, _ := f.lines(unit)
		l := f.laid(unit)
		for i, sl := range l.slots {
			if sl.kind == slotRow && first+l.rows[sl.at].last >= line {
				return unit, i
			}
		}
		if unit == f.n-1 {
			return unit, f.height(unit) - 1
		}
		unit++
		if first, _ := f.lines(unit); first > line { // a blank line between two units
			return unit, 0
		}
	}
}

// show moves the window so that a place is in it, away from its edges when it must move.
func (f *flow) show(unit, row int) {
	if d, ok := f.distance(unit, row); ok && d < f.h {
		return
	}
	f.unit, f.row = f.moved(unit, row, -f.h/3)
	f.clamp()
}

// distance is how many rows a place is below the top of the window; ok is false when it is
// above, or further down than the window is high.
func (f *flow) distance(unit, row int) (int, bool) {
	if unit < f.unit || unit == f.unit && row < f.row {
		return 0, false
	}
	d := -f.row
	for i := f.unit; i < unit; i++ {
		if d += f.height(i); d >= f.h {
			return d, false
		}
	}
	d += row
	return d, d < f.h
}

// sourceAt is the source lines of the row y of the window; -1 is the row above it.
func (f *flow) sourceAt(y int) (first, last int) {
	unit, row := f.unit, f.row+y
	for row < 0 {
		if unit == 0 {
			return 0, 0
		}
		unit--
		row += f.height(unit)
	}
	for unit < f.n {
		h := f.height(unit)
		if row < h {
			return f.sourceOf(unit, row)
		}
		row -= h
		unit++
	}
	return 0, 0
}

func (f *flow) sourceOf(unit, row int) (first, last int) {
	a, end := f.lines(unit)
	l := f.laid(unit)
	if row >= len(l.slots) {
		return 0, 0
	}
	switch sl := l.slots[row]; sl.kind {
	case slotGap: // the blank lines before the unit
		if unit > 0 {
			_, b := f.lines(unit - 1)
			return min(b+1, a), max(min(b+1, a), a-1)
		}
		return a, a
	case slotInset:
		line := max(1, sl.under)
		return line, line
	default:
		first, last = a+l.rows[sl.at].first, a+l.rows[sl.at].last
		if unit == f.n-1 && sl.at == len(l.rows)-1 { // blank lines at the end
			last = max(last, end)
		}
		if unit == 0 && sl.at == 0 { // and at the beginning
			first = min(first, 1)
		}
		return first, last
	}
}
