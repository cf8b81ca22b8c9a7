package rows

import "vespe/ui/text"

// ScrollOff is how many rows stay visible around the cursor.
const ScrollOff = 2

// Window says which rows of a list are seen. The zero value shows the beginning.
type Window struct {
	Top    int // first row seen
	Height int // rows seen, as last drawn; 0 before
}

// height is a guess until something was drawn.
func (v *Window) height() int {
	if v.Height <= 0 {
		return 20
	}
	return v.Height
}

// Page is how far a page moves: one row of it stays in view.
func (v *Window) Page() int { return max(1, v.height()-1) }

// Resize takes the height that is drawn now. A cursor that was in view stays in view.
func (v *Window) Resize(h, cursor, n int) {
	if h == v.Height {
		return
	}
	seen := v.Height <= 0 || v.Sees(cursor)
	v.Height = h
	if seen {
		v.Follow(cursor, n)
	} else {
		v.Clamp(n)
	}
}

// Span is the rows of n in view: from the first up to, but not, the last.
func (v *Window) Span(n int) (from, to int) {
	from = min(max(0, v.Top), n)
	return from, min(n, from+v.height())
}

// Sees reports whether a row is in view.
func (v *Window) Sees(row int) bool { return row >= v.Top && row < v.Top+v.height() }

// Follow scrolls as little as it must so that the cursor is in view, with ScrollOff rows
// around it where the list continues.
func (v *Window) Follow(cursor, n int) {
	h := v.height()
	off := max(0, min(ScrollOff, (h-1)/2))
	if cursor-off < v.Top {
		v.Top = cursor - off
	}
	if cursor+off >= v.Top+h {
		v.Top = cursor + off - h + 1
	}
	v.Clamp(n)
}

// Scroll moves the window by d rows and leaves the cursor where it is.
func (v *Window) Scroll(d, n int) {
	v.Top += d
	v.Clamp(n)
}

// Anchor is the row that must stay where it is when the list changes, and its line: the
// cursor, or the first row in view when the cursor is not.
func (v *Window) Anchor(cursor int) (row, line int) {
	if !v.Sees(cursor) {
		return v.Top, 0
	}
	return cursor, cursor - v.Top
}

// Put scrolls so that a row is on a line, as far as a list of n rows reaches.
func (v *Window) Put(row, line, n int) {
	v.Top = row - line
	v.Clamp(n)
}

// Clamp keeps the window inside a list of n rows.
func (v *Window) Clamp(n int) {
	v.Top = max(0, min(v.Top, n-v.height()))
}

// Place remembers where the window is over the rows that n counts, and returns what brings it back.
func (v *Window) Place(n func() int) (back func()) {
	top := v.Top
	return func() {
		v.Top = top
		v.Clamp(n())
	}
}

// Draw fills lines of w cells with the rows in view of n.
func (v *Window) Draw(lines []string, w, n int, row func(r int) string) {
	for y := range lines {
		if r := v.Top + y; r < n {
			lines[y] = row(r)
		} else {
			lines[y] = text.Spaces(w)
		}
	}
}

// RowAt is the row of n at a cell of the view, from its top left corner; false where there is none.
func (v *Window) RowAt(x, y, n int) (row int, ok bool) {
	row = v.Top + y
	return row, x >= 0 && y >= 0 && row < n && (v.Height <= 0 || y < v.Height)
}
