package outline

import (
	"slices"
)

// setOpen folds or unfolds the task of row r, which must be foldable, by one splice.
func (o *Outline) setOpen(r int, on bool) {
	row := o.rows[r]
	var below []int32
	switch {
	case row == storeRow:
		if o.storeOpen == on {
			return
		}
		o.storeOpen = on
		below = appendProblems(nil, o.flaws[-1])
	case row >= 0:
		open := o.folds()
		if open[row] == on || !o.foldable(row) {
			return
		}
		open[row] = on
		if on {
			below = o.appendBelow(nil, row)
		}
	default:
		return
	}
	o.Dirty = true
	if on {
		o.marked = nil
		o.rows = slices.Insert(o.rows, r+1, below...)
		if o.Cur > r {
			o.Cur += len(below)
		}
		return
	}
	end := o.end(r)
	o.marked = nil
	o.rows = slices.Delete(o.rows, r+1, end)
	switch {
	case o.Cur >= end:
		o.Cur -= end - r - 1
	case o.Cur > r:
		o.Cur = r
	}
}

// isOpen reports whether row r is unfolded.
func (o *Outline) isOpen(r int) bool {
	row := o.rows[r]
	if row == storeRow {
		return o.storeOpen
	}
	return row >= 0 && o.folds()[row] && o.foldable(row)
}

func (o *Outline) canFold(r int) bool {
	row := o.rows[r]
	return row == storeRow || row >= 0 && o.foldable(row)
}

// Left folds the cursor's task, or goes to its parent when there is nothing to fold.
func (o *Outline) Left() {
	if o.Cur < len(o.rows) && o.isOpen(o.Cur) {
		o.setOpen(o.Cur, false)
		o.Follow()
		return
	}
	o.Parent()
}

// Right unfolds the cursor's task, or goes to its first child when it is unfolded.
func (o *Outline) Right() {
	if o.Cur >= len(o.rows) || !o.canFold(o.Cur) {
		return
	}
	if o.isOpen(o.Cur) {
		o.FirstChild()
		return
	}
	o.setOpen(o.Cur, true)
	o.Follow()
}

// FoldAll folds everything; the cursor goes to the root above it.
func (o *Outline) FoldAll() { o.openAll(false) }

// UnfoldAll unfolds everything.
func (o *Outline) UnfoldAll() { o.openAll(true) }

// openAll folds or unfolds everything. The cursor stays where it is or goes to its nearest ancestor that is still visible.
func (o *Outline) openAll(on bool) {
	if o.snap == nil {
		return
	}
	open := o.folds()
	for i := range open {
		open[i] = on
	}
	o.storeOpen = on
	at, ok := o.current()
	s := o.spot()
	o.flatten()
	if !ok {
		o.restore(s)
		return
	}
	offset := s.cur - o.Win.Top
	o.Cur = max(0, o.visibleRow(at))
	o.Win.Top = o.Cur - offset
	o.Win.Clamp(len(o.rows))
	o.Follow()
}

// visibleRow is the row of a task or of its nearest visible ancestor; -1 for none.
func (o *Outline) visibleRow(i int32) int {
	// Walk down from the root: the first folded ancestor is what is seen.
	seen := i
	for p := o.snap.Parent(int(i)); p >= 0; p = o.snap.Parent(int(p)) {
		if !o.folds()[p] || !o.shown(seen) {
			seen = p
		}
	}
	return o.find(seen)
}

// Reveal puts the cursor on a task and unfolds what is above it. It reports false when
// there is no such task or the filter hides it.
func (o *Outline) Reveal(i int) bool {
	if o.snap == nil || i < 0 || i >= o.snap.Len() || !o.shown(int32(i)) {
		return false
	}
	o.unfoldTo(int32(i), nil)
	r := o.find(int32(i))
	if r < 0 {
		return false
	}
	o.Cur, o.Dirty = r, true
	o.Follow()
	return true
}

// unfoldTo unfolds every ancestor of a task; opened is called for those that were folded.
func (o *Outline) unfoldTo(i int32, opened func(int32)) {
	open := o.folds()
	var above []int32
	for p := o.snap.Parent(int(i)); p >= 0; p = o.snap.Parent(int(p)) {
		if !open[p] {
			above = append(above, p)
		}
	}
	for k, p := range above {
		if opened != nil {
			opened(p)
		}
		if k < len(above)-1 {
			open[p] = true // under a folded one: nothing of it is seen yet
		} else if r := o.find(p); r >= 0 {
			o.setOpen(r, true)
		} else {
			open[p] = true
		}
	}
}
