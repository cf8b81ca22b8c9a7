package outline

import (
	"slices"

	"vespe/model"
)

// follow brings the cursor into view.
func (o *Outline) follow() {
	o.Dirty = true
	o.win.Follow(o.cur, len(o.rows))
}

func (o *Outline) moveTo(r int) {
	o.cur = max(0, min(r, len(o.rows)-1))
	o.follow()
}

// Move moves the cursor by d rows.
func (o *Outline) Move(d int) { o.moveTo(o.cur + d) }

// Page moves by n pages of what is seen.
func (o *Outline) Page(n int) { o.moveTo(o.cur + n*o.win.Page()) }

// HalfPage moves by n half pages.
func (o *Outline) HalfPage(n int) { o.moveTo(o.cur + n*max(1, o.win.Page()/2)) }

// Home goes to the first row.
func (o *Outline) Home() { o.moveTo(0) }

// End goes to the last row.
func (o *Outline) End() { o.moveTo(len(o.rows) - 1) }

// Parent goes to the parent of the cursor's row.
func (o *Outline) Parent() {
	if o.cur >= len(o.rows) {
		return
	}
	d := o.depth(o.rows[o.cur])
	for r := o.cur - 1; r >= 0; r-- {
		if o.depth(o.rows[r]) < d {
			o.moveTo(r)
			return
		}
	}
}

// FirstChild goes to the first row under the cursor's, which is unfolded when it must be.
func (o *Outline) FirstChild() {
	if o.cur >= len(o.rows) || !o.canFold(o.cur) {
		return
	}
	o.setOpen(o.cur, true)
	o.moveTo(o.cur + 1)
}

// Jump puts the cursor on a task and unfolds what is above it. It reports false when
// there is no such task or the filter hides it.
func (o *Outline) Jump(uid model.UID) bool {
	if o.snap == nil {
		return false
	}
	i, ok := o.snap.Index(uid)
	return ok && o.Reveal(i)
}

// Wheel scrolls by d rows and leaves the cursor where it is; the next key that moves it
// brings it back into view.
func (o *Outline) Wheel(d int) {
	o.Dirty = true
	o.win.Scroll(d, len(o.rows))
}

// Hit is what a click was on.
type Hit int

// What a click can be on.
const (
	HitNothing Hit = iota
	HitRow         // the cursor is there now
	HitFold        // a fold mark: folded or unfolded
)

// Click acts on a click at a cell of the view, from its top left corner: on a fold mark
// it folds or unfolds, elsewhere on a row it puts the cursor there.
func (o *Outline) Click(x, y int) Hit {
	r, ok := o.win.RowAt(x, y, len(o.rows))
	if !ok {
		return HitNothing
	}
	o.Dirty = true
	if from, to := o.markCells(o.rows[r]); x >= from && x < to && o.canFold(r) {
		o.setOpen(r, !o.isOpen(r))
		return HitFold
	}
	o.cur = r
	o.follow()
	return HitRow
}

// Keep remembers the cursor, the folds and what is in view, and returns what brings them
// back, as far as the tasks are still there.
func (o *Outline) Keep() (restore func()) {
	s, open, of := o.spot(), slices.Clone(o.open), o.snap
	return func() {
		if o.snap == nil {
			return
		}
		if of == o.snap && len(open) == len(o.open) {
			copy(o.open, open)
		}
		o.flatten()
		o.restore(s)
	}
}
