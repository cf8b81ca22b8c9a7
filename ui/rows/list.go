package rows

import (
	"vespe/model/snapshot"
	"vespe/ui/style"
)

// Rows are what a list is made of, and what is particular about it.
type Rows struct {
	Len    func() int
	Head   func(r int) bool   // reports whether a row is a head; nil: none is. It is never the last, or beside another
	Folded func(r int) string // what is searched of a row
	// Draw draws the lines that the window has, of w cells.
	Draw func(lines []string, w int)
	// Filtered lists the rows anew, as Test says.
	Filtered func()
	Free     func(r int) int // lets go of rows that only the cursor holds, and returns where a row is then; nil: there are none
	Moved    func()          // after the cursor was moved; may be nil
}

// List is a list with a cursor and a window that follows it. Others have it by embedding, and begin with Init.
type List struct {
	Pane
	Search
	Cur  int // the row that the cursor is on, no head
	Win  Window
	Test func(s *snapshot.Snapshot, i int) bool // the filter; nil for none
	of   Rows

	lines []string // as last drawn
	Width int      // cells of a line, as last drawn
}

// Init begins a list that has been drawn by nobody.
func (l *List) Init(st *style.Styles, of Rows) {
	l.Pane, l.of = NewPane(st), of
	l.Search = NewSearch(func() Searched {
		return Searched{
			Len: of.Len(), Cursor: l.Cur, Folded: of.Folded, Go: func(r int) { l.MoveTo(r, 1) },
			Place: func() func() { return l.Win.Place(of.Len) },
		}
	}, func() { l.Dirty = true })
}

// View draws the rows in view: h lines of w cells, which are not to be changed.
func (l *List) View(w, h int) []string {
	if !l.Dirty && l.Width == w && len(l.lines) == h {
		return l.lines
	}
	if h != l.Win.Height && h > 0 {
		l.Win.Resize(h, l.Cur, l.of.Len())
	}
	l.lines, l.Width = make([]string, max(0, h)), w
	l.of.Draw(l.lines, w)
	l.Dirty = false
	return l.lines
}

// SetFilter shows only what is about tasks that pass a test; nil shows all.
func (l *List) SetFilter(test func(s *snapshot.Snapshot, i int) bool) {
	if test == nil && l.Test == nil {
		return
	}
	l.Test = test
	l.of.Filtered()
}

// MoveTo puts the cursor on a row near d rows from where it was, and brings it into view.
func (l *List) MoveTo(r, d int) {
	if l.of.Free != nil {
		r = l.of.Free(r)
	}
	l.Cur = r
	l.Settle(d)
	l.Follow()
	if l.of.Head != nil && l.Cur == 1 { // the first row shows its head too
		l.Win.Top = 0
	}
	if l.of.Moved != nil {
		l.of.Moved()
	}
}

// Follow brings the cursor into view.
func (l *List) Follow() {
	l.Dirty = true
	l.Win.Follow(l.Cur, l.of.Len())
}

// Settle keeps the cursor on a row, and off a head, in direction d if it can.
func (l *List) Settle(d int) {
	n := l.of.Len()
	l.Cur = max(0, min(l.Cur, n-1))
	switch {
	case n == 0 || l.of.Head == nil || !l.of.Head(l.Cur):
	case d < 0 && l.Cur > 0:
		l.Cur--
	default:
		l.Cur++
	}
}

// Move moves the cursor by d rows, without counting heads.
func (l *List) Move(d int) {
	if l.of.Head == nil {
		l.MoveTo(l.Cur+d, d)
		return
	}
	step, to := 1, l.Cur
	if d < 0 {
		step = -1
	}
	for k := d; k != 0; k -= step {
		next := to + step
		if next >= 0 && next < l.of.Len() && l.of.Head(next) {
			next += step
		}
		if next < 0 || next >= l.of.Len() {
			break
		}
		to = next
	}
	l.MoveTo(to, step)
}

// Group goes to the first row of the next group, or of the one before where d < 0; false where there is none.
func (l *List) Group(d int) bool {
	step := 1
	if d < 0 {
		step = -1
	}
	isHead := func(r int) bool { return r >= 0 && r < l.of.Len() && l.of.Head(r) }
	r := l.Cur
	for d < 0 && r > 0 && !isHead(r) {
		r--
	}
	for r += step; r > 0 && r < l.of.Len() && !isHead(r); r += step {
	}
	if !isHead(r) {
		return false
	}
	l.MoveTo(r, 1)
	return true
}

// Page moves by n pages of what is seen.
func (l *List) Page(n int) { l.MoveTo(l.Cur+n*l.Win.Page(), n) }

// HalfPage moves by n half pages.
func (l *List) HalfPage(n int) { l.MoveTo(l.Cur+n*max(1, l.Win.Page()/2), n) }

// Home goes to the first row.
func (l *List) Home() { l.MoveTo(0, 1) }

// End goes to the last row.
func (l *List) End() { l.MoveTo(l.of.Len()-1, -1) }

// Wheel scrolls by d rows and leaves the cursor where it is.
func (l *List) Wheel(d int) {
	l.Dirty = true
	l.Win.Scroll(d, l.of.Len())
}

// RowAt is the row at a cell of the view; false where there is none, and on a head.
func (l *List) RowAt(x, y int) (r int, ok bool) {
	r, ok = l.Win.RowAt(x, y, l.of.Len())
	return r, ok && (l.of.Head == nil || !l.of.Head(r))
}

// Scroll says where the view is in the whole, for a scrollbar.
func (l *List) Scroll() style.Scroll {
	return style.Scroll{Top: l.Win.Top, Visible: l.Win.Height, Total: l.of.Len()}
}
