package outline

import (
	"slices"

	"vespe/model"
)

// Parent goes to the parent of the cursor's row.
func (o *Outline) Parent() {
	if o.Cur >= len(o.rows) {
		return
	}
	d := o.depth(o.rows[o.Cur])
	for r := o.Cur - 1; r >= 0; r-- {
		if o.depth(o.rows[r]) < d {
			o.MoveTo(r, 0)
			return
		}
	}
}

// FirstChild goes to the first row under the cursor's, which is unfolded when it must be.
func (o *Outline) FirstChild() {
	if o.Cur >= len(o.rows) || !o.canFold(o.Cur) {
		return
	}
	o.setOpen(o.Cur, true)
	o.MoveTo(o.Cur+1, 0)
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
	r, ok := o.RowAt(x, y)
	if !ok {
		return HitNothing
	}
	o.Dirty = true
	if from, to := o.markCells(o.rows[r]); x >= from && x < to && o.canFold(r) {
		o.setOpen(r, !o.isOpen(r))
		return HitFold
	}
	o.Cur = r
	o.Follow()
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
