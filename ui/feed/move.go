package feed

import (
	"vespe/model"
	"vespe/ui/rows"
)

// looked forgets what came in above once the top is in view.
func (f *Feed) looked() {
	if f.Win.Top == 0 {
		f.fresh = 0
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
			f.MoveTo(r, 1)
			return true
		}
	}
	return false
}

// Wheel scrolls by d rows and leaves the cursor where it is.
func (f *Feed) Wheel(d int) {
	f.List.Wheel(d)
	f.looked()
}

// Click puts the cursor on the event at a cell of the view, from its top left corner; it reports
// false when there is none.
func (f *Feed) Click(x, y int) bool {
	r, ok := f.RowAt(x, y)
	if ok {
		f.MoveTo(r, 1)
	}
	return ok
}

// folded is what is searched of a row: what happened, and to what.
func (f *Feed) folded(r int) string {
	if f.rows[r] < 0 {
		return ""
	}
	c, m := f.j.At(int(f.found[f.rows[r]]))
	return rows.Fold(string(m.Actor()) + " " + f.name(c.UID) + " " + m.Summary + " " + m.Reason)
}
