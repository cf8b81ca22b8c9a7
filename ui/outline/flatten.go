package outline

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
)

// shown reports whether the filter, if any, leaves a task visible.
func (o *Outline) shown(i int32) bool {
	return o.filter.shown == nil || o.filter.shown[i] != hidden
}

// folds are the folds in force: a filter has its own, so that looking for something does
// not disturb them.
func (o *Outline) folds() []bool {
	if o.filter.shown != nil {
		return o.filter.open
	}
	return o.open
}

// foldable reports whether a task has rows beneath it. Its problems have none: they are a
// mark on its own row, so that what cannot be unfolded never looks like a parent.
func (o *Outline) foldable(i int32) bool {
	return slices.ContainsFunc(o.snap.Children(int(i)), o.shown)
}

// flatten builds all rows in one pass.
func (o *Outline) flatten() {
	o.Dirty = true
	o.rows, o.marked = o.rows[:0], nil
	if o.snap == nil {
		return
	}
	o.findLast()
	if n := len(o.flaws[-1]); n > 0 && o.filter.shown == nil {
		o.rows = append(o.rows, storeRow)
		if o.storeOpen {
			o.rows = appendProblems(o.rows, o.flaws[-1])
		}
	}
	for _, i := range o.snap.Roots() {
		if o.shown(i) {
			o.rows = append(o.rows, i)
			o.rows = o.appendBelow(o.rows, i)
		}
	}
}

func appendProblems(dst []int32, list []int32) []int32 {
	for _, p := range list {
		dst = append(dst, ^p)
	}
	return dst
}

// appendBelow appends the visible rows under task i, which is visible itself.
func (o *Outline) appendBelow(dst []int32, i int32) []int32 {
	open := o.folds()
	stack := make([]int32, 0, 64)
	enter := func(v int32) {
		if !open[v] {
			return
		}
		kids := o.snap.Children(int(v))
		for k := len(kids) - 1; k >= 0; k-- {
			if o.shown(kids[k]) {
				stack = append(stack, kids[k])
			}
		}
	}
	enter(i)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		dst = append(dst, v)
		enter(v)
	}
	return dst
}

// findLast marks the last visible child of every task, where its guide ends.
func (o *Outline) findLast() {
	n := o.snap.Len()
	if cap(o.last) < n {
		o.last = make([]bool, n)
	}
	o.last = o.last[:n]
	clear(o.last)
	mark := func(kids []int32) {
		for k := len(kids) - 1; k >= 0; k-- {
			if o.shown(kids[k]) {
				o.last[kids[k]] = true
				return
			}
		}
	}
	mark(o.snap.Roots())
	for i := range n {
		if kids := o.snap.Children(i); len(kids) > 0 {
			mark(kids)
		}
	}
}

// depth is how deep a row is indented.
func (o *Outline) depth(row int32) int {
	switch {
	case row >= 0:
		return o.snap.Depth(int(row))
	case row == storeRow:
		return 0
	}
	if t := o.owner[^row]; t >= 0 {
		return o.snap.Depth(int(t)) + 1
	}
	return 1
}

// end is the first row after r that is not beneath it.
func (o *Outline) end(r int) int {
	d := o.depth(o.rows[r])
	for r++; r < len(o.rows) && o.depth(o.rows[r]) > d; r++ {
	}
	return r
}

// find is the row of a task; -1 when it is not visible.
func (o *Outline) find(i int32) int { return slices.Index(o.rows, i) }

// spot remembers what was on which line of the screen.
type spot struct {
	snap   *snapshot.Snapshot
	rows   []int32
	owner  []int32
	probs  []model.Problem
	cur    int
	offset int // of the row that stays where it is, from the top of the window
	hold   int // that row: the cursor, or the first one in view when the cursor is not
}

func (o *Outline) spot() spot {
	s := spot{snap: o.snap, rows: slices.Clone(o.rows), owner: o.owner, probs: o.problems, cur: o.Cur}
	s.hold, s.offset = o.Win.Anchor(o.Cur)
	return s
}

// restore puts the cursor and the window back after the rows were built anew: on the
// same task, or on the nearest that is left, on the same line of the screen.
func (o *Outline) restore(s spot) {
	o.Dirty = true
	if len(o.rows) == 0 || len(s.rows) == 0 {
		o.Cur, o.Win.Top = 0, 0
		return
	}
	where := make([]int32, o.snap.Len()) // task → 1 + row
	for r, row := range o.rows {
		if row >= 0 {
			where[row] = int32(r) + 1
		}
	}
	o.Cur = o.nearest(s, s.cur, where)
	hold := o.Cur
	if s.hold != s.cur {
		hold = o.nearest(s, s.hold, where)
	}
	o.Win.Put(hold, s.offset, len(o.rows))
	if s.hold == s.cur && !o.Win.Sees(o.Cur) {
		o.Win.Follow(o.Cur, len(o.rows))
	}
}

// nearest is the row now of what was old row r, or of the row closest to it that is left.
func (o *Outline) nearest(s spot, r int, where []int32) int {
	r = min(max(0, r), len(s.rows)-1)
	for d := 0; d < len(s.rows); d++ {
		for _, q := range []int{r + d, r - d} {
			if q < 0 || q >= len(s.rows) {
				continue
			}
			if now := o.same(s, s.rows[q], where); now >= 0 {
				return now
			}
		}
	}
	return min(r, len(o.rows)-1)
}

// same is the row now of an old row; -1 when it is gone.
func (o *Outline) same(s spot, row int32, where []int32) int {
	if row == storeRow {
		return slices.Index(o.rows, storeRow)
	}
	if row < 0 {
		p := s.probs[^row]
		for r, now := range o.rows {
			if now < 0 && now != storeRow && o.problems[^now] == p {
				return r
			}
		}
		if row = s.owner[^row]; row < 0 {
			return -1
		}
	}
	i := int(row)
	if s.snap != o.snap {
		var ok bool
		if i, ok = o.snap.Index(s.snap.UID(int(row))); !ok {
			return -1
		}
	}
	return int(where[i]) - 1
}

// rebuild flattens again for the same tasks.
func (o *Outline) rebuild() {
	s := o.spot()
	o.flatten()
	o.restore(s)
}
