package outline

import (
	"vespe/model"
	"vespe/model/snapshot"
)

// ToggleMark selects or unselects the cursor's task, and goes on to the next row. An
// open range is taken into the selection first.
func (o *Outline) ToggleMark() {
	if o.anchor != "" {
		o.keepRange()
		return
	}
	uid, ok := o.Selected()
	if !ok {
		return
	}
	o.ToggleMarkOf(uid)
	o.Move(1)
}

// ToggleMarkOf selects or unselects a task, wherever the cursor is.
func (o *Outline) ToggleMarkOf(uid model.UID) {
	o.Dirty, o.marked.valid = true, false
	if _, on := o.marks[uid]; on {
		delete(o.marks, uid)
	} else {
		o.marks[uid] = struct{}{}
	}
}

// IsMarked reports whether a task is selected by itself; an open range does not count.
func (o *Outline) IsMarked(uid model.UID) bool {
	_, on := o.marks[uid]
	return on
}

// ToggleRange starts a range at the cursor, or takes the range into the selection.
func (o *Outline) ToggleRange() {
	o.Dirty = true
	if o.anchor != "" {
		o.keepRange()
		return
	}
	if uid, ok := o.Selected(); ok {
		o.anchor = uid
	}
}

func (o *Outline) keepRange() {
	for _, uid := range o.Marked() {
		o.marks[uid] = struct{}{}
	}
	o.anchor, o.Dirty, o.marked.valid = "", true, false
}

// ClearMarks unselects everything; it reports false when nothing was selected.
func (o *Outline) ClearMarks() bool {
	if len(o.marks) == 0 && o.anchor == "" {
		return false
	}
	clear(o.marks)
	o.anchor, o.Dirty, o.marked.valid = "", true, false
	return true
}

// markedCache is what Marked has found, since every frame asks. It holds for a range and a
// snapshot, until the marks or the rows change.
type markedCache struct {
	valid    bool
	snap     *snapshot.Snapshot
	from, to int
	uids     []model.UID
}

// Marked are the selected tasks with those of an open range, in the order of the tree,
// hidden ones after the visible ones. It is empty when only the cursor is somewhere. The
// slice is the outline's own and must not be changed.
func (o *Outline) Marked() []model.UID {
	if len(o.marks) == 0 && o.anchor == "" {
		return nil
	}
	from, to := o.span()
	c := &o.marked
	if c.valid && c.snap == o.snap && c.from == from && c.to == to {
		return c.uids
	}
	uids, ok := o.stretched(from, to)
	if !ok {
		uids = o.collectMarked(from, to)
	}
	*c = markedCache{valid: true, snap: o.snap, from: from, to: to, uids: uids}
	return c.uids
}

// stretched is what Marked has found, for a range one of whose ends has moved: of a long one each
// key moves one end by little. ok is false where that is not all that has changed.
func (o *Outline) stretched(from, to int) (uids []model.UID, ok bool) {
	c := &o.marked
	if !c.valid || c.snap != o.snap || len(o.marks) > 0 || from >= c.to || to <= c.from {
		return nil, false
	}
	uids = c.uids
	switch {
	case from == c.from && to > c.to:
		return o.appendTasks(uids, c.to, to), true
	case from == c.from: // clipped: who has the longer one must not see it change
		n := len(uids) - o.tasksIn(to, c.to)
		return uids[:n:n], true
	case to == c.to && from < c.from:
		front := o.appendTasks(make([]model.UID, 0, len(uids)+c.from-from), from, c.from)
		return append(front, uids...), true
	case to == c.to:
		return uids[o.tasksIn(c.from, from):], true
	}
	return nil, false
}

// tasksIn is how many of the rows [from, to) are tasks.
func (o *Outline) tasksIn(from, to int) (n int) {
	for _, row := range o.rows[from:to] {
		if row >= 0 {
			n++
		}
	}
	return n
}

// appendTasks appends the tasks of the rows [from, to).
func (o *Outline) appendTasks(dst []model.UID, from, to int) []model.UID {
	for _, row := range o.rows[from:to] {
		if row >= 0 {
			dst = append(dst, o.snap.UID(int(row)))
		}
	}
	return dst
}

// collectMarked finds the selected tasks and those of the rows [from, to).
func (o *Outline) collectMarked(from, to int) []model.UID {
	out := make([]model.UID, 0, len(o.marks)+to-from)
	if len(o.marks) == 0 {
		return o.appendTasks(out, from, to)
	}
	on := make([]bool, o.snap.Len()) // by index: looking up a uid for every row takes too long
	for uid := range o.marks {
		if i, ok := o.snap.Index(uid); ok {
			on[i] = true
		}
	}
	for r, row := range o.rows {
		if row >= 0 && (on[row] || r >= from && r < to) {
			out = append(out, o.snap.UID(int(row)))
			on[row] = false
		}
	}
	for i, hidden := range on {
		if hidden {
			out = append(out, o.snap.UID(i))
		}
	}
	return out
}

// span is the range's rows [from, to); empty when there is none.
func (o *Outline) span() (from, to int) {
	if o.anchor == "" {
		return 0, 0
	}
	i, ok := o.snap.Index(o.anchor)
	if !ok {
		return 0, 0
	}
	r := o.visibleRow(int32(i))
	if r < 0 {
		return 0, 0
	}
	return min(r, o.Cur), max(r, o.Cur) + 1
}

// dropGoneMarks forgets tasks that are no longer there.
func (o *Outline) dropGoneMarks() {
	for uid := range o.marks {
		if _, ok := o.snap.Index(uid); !ok {
			o.marked.valid = false
			delete(o.marks, uid)
		}
	}
	if _, ok := o.snap.Index(o.anchor); !ok {
		o.anchor = ""
	}
}
