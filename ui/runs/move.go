package runs

import (
	"vespe/model"
	"vespe/ui/rows"
)

func (l *List) moveTo(r, d int) {
	l.cur = r
	l.settle(d)
	l.Dirty = true
	l.win.Follow(l.cur, len(l.rows))
	if l.cur == 1 { // the first run shows its head too
		l.win.Top = 0
	}
}

// Move moves the cursor by d runs.
func (l *List) Move(d int) {
	step := 1
	if d < 0 {
		step = -1
	}
	r := l.cur
	for ; d != 0; d -= step {
		next := r + step
		if next >= 0 && next < len(l.rows) && l.rows[next].run == nil {
			next += step
		}
		if next < 0 || next >= len(l.rows) {
			break
		}
		r = next
	}
	l.moveTo(r, step)
}

// Page moves by n pages of what is seen.
func (l *List) Page(n int) { l.moveTo(l.cur+n*l.win.Page(), n) }

// HalfPage moves by n half pages.
func (l *List) HalfPage(n int) { l.moveTo(l.cur+n*max(1, l.win.Page()/2), n) }

// Home goes to the first run.
func (l *List) Home() { l.moveTo(0, 1) }

// End goes to the oldest run.
func (l *List) End() { l.moveTo(len(l.rows)-1, -1) }

// Jump puts the cursor on the run of a task that is under way, or on its newest; it reports false when
// none is listed.
func (l *List) Jump(uid model.UID) bool {
	if r, ok := l.Run(); ok && r.Task == uid {
		return true
	}
	return l.jump(func(r *Run) bool { return r.Task == uid })
}

// JumpRun puts the cursor on a run; it reports false when it is not listed.
func (l *List) JumpRun(id string) bool { return l.jump(func(r *Run) bool { return r.ID == id }) }

func (l *List) jump(is func(*Run) bool) bool {
	for i := range l.rows {
		if r := l.rows[i].run; r != nil && is(r) {
			l.moveTo(i, 1)
			return true
		}
	}
	return false
}

// Wheel scrolls by d rows and leaves the cursor where it is.
func (l *List) Wheel(d int) {
	l.Dirty = true
	l.win.Scroll(d, len(l.rows))
}

// Click puts the cursor on the run at a cell of the view, from its top left corner; it reports false
// when there is none.
func (l *List) Click(x, y int) bool {
	y -= l.top
	r := l.win.Top + y
	if x < 0 || y < 0 || r >= len(l.rows) || l.rows[r].run == nil || l.win.Height > 0 && y >= l.win.Height {
		return false
	}
	l.moveTo(r, 1)
	return true
}

// folded is what is searched of a row: whose attempt it is, by whom, and what came of it.
func (l *List) folded(i int) string {
	e := &l.rows[i]
	if e.run == nil {
		return ""
	}
	return rows.Fold(l.name(e) + " " + string(e.run.Worker) + " " + e.run.ID + " " + outcome(e) + " " + why(e))
}

// searched is the list as a search needs it.
func (l *List) searched() rows.Searched {
	return rows.Searched{
		Len: len(l.rows), Cursor: l.cur, Folded: l.folded, Go: func(r int) { l.moveTo(r, 1) },
		Place: func() func() { return l.win.Place(func() int { return len(l.rows) }) },
	}
}
