package feed

import (
	"vespe/model"
	"vespe/ui/rows"
)

func (f *Feed) moveTo(r, d int) {
	f.cur = r
	f.settle(d)
	f.Dirty = true
	f.win.Follow(f.cur, len(f.rows))
	if f.cur == 1 { // the first event shows its head too
		f.win.Top = 0
	}
	f.looked()
}

// looked forgets what came in above once the top is in view.
func (f *Feed) looked() {
	if f.win.Top == 0 {
		f.fresh = 0
	}
}

// Move moves the cursor by d events.
func (f *Feed) Move(d int) {
	f.moveTo(rows.Step(f.rows, f.cur, d), d)
}

// Page moves by n pages of what is seen.
func (f *Feed) Page(n int) { f.moveTo(f.cur+n*f.win.Page(), n) }

// HalfPage moves by n half pages.
func (f *Feed) HalfPage(n int) { f.moveTo(f.cur+n*max(1, f.win.Page()/2), n) }

// Home goes to the newest event.
func (f *Feed) Home() { f.moveTo(0, 1) }

// End goes to the oldest event.
func (f *Feed) End() { f.moveTo(len(f.rows)-1, -1) }

// Day goes to the newest event of the day before (1), or of the day after (-1).
func (f *Feed) Day(d int) {
	step := 1
	r := f.cur
	if d < 0 {
		step = -1
		for r > 0 && f.rows[r] >= 0 {
			r--
		}
	}
	for r += step; r > 0 && r < len(f.rows) && f.rows[r] >= 0; r += step {
	}
	if r >= 0 && r < len(f.rows) {
		f.moveTo(r, 1)
	}
}

// Jump puts the cursor on the newest event of a task; it reports false when none is listed.
func (f *Feed) Jump(uid model.UID) bool {
	if c, _, ok := f.Moment(); ok && c.UID == uid {
		return true
	}
	for r, row := range f.rows {
		if row < 0 {
			continue
		}
		if c, _ := f.j.At(int(f.found[row])); c.UID == uid {
			f.moveTo(r, 1)
			return true
		}
	}
	return false
}

// Wheel scrolls by d rows and leaves the cursor where it is.
func (f *Feed) Wheel(d int) {
	f.Dirty = true
	f.win.Scroll(d, len(f.rows))
	f.looked()
}

// Click puts the cursor on the event at a cell of the view, from its top left corner; it reports
// false when there is none.
func (f *Feed) Click(x, y int) bool {
	r, ok := f.win.RowAt(x, y, len(f.rows))
	if !ok || f.rows[r] < 0 {
		return false
	}
	f.moveTo(r, 1)
	return true
}

// folded is what is searched of a row: what happened, and to what.
func (f *Feed) folded(r int) string {
	if f.rows[r] < 0 {
		return ""
	}
	c, m := f.j.At(int(f.found[f.rows[r]]))
	return rows.Fold(string(m.Actor()) + " " + f.name(c.UID) + " " + m.Summary + " " + m.Reason)
}

// searched is the list as a search needs it.
func (f *Feed) searched() rows.Searched {
	return rows.Searched{
		Len: len(f.rows), Cursor: f.cur, Folded: f.folded, Go: func(r int) { f.moveTo(r, 1) },
		Place: func() func() { return f.win.Place(func() int { return len(f.rows) }) },
	}
}
