package outline

import "vespe/model"

// ToggleMark selects or unselects the cursor's task, and moves to the next row.
func (o *Outline) ToggleMark() {
	uid, ok := o.Selected()
	if !ok {
		return
	}
	o.ToggleMarkOf(uid)
	o.Move(1)
}

// ToggleMarkOf selects or unselects a task, wherever the cursor is.
func (o *Outline) ToggleMarkOf(uid model.UID) {
	o.Dirty, o.marked = true, nil
	if _, on := o.marks[uid]; on {
		delete(o.marks, uid)
	} else {
		o.marks[uid] = struct{}{}
	}
}

// IsMarked reports whether a task is selected.
func (o *Outline) IsMarked(uid model.UID) bool {
	_, on := o.marks[uid]
	return on
}

// ClearMarks unselects everything; it reports false when nothing was selected.
func (o *Outline) ClearMarks() bool {
	if len(o.marks) == 0 {
		return false
	}
	clear(o.marks)
	o.Dirty, o.marked = true, nil
	return true
}

// Marked are the selected tasks in the order of the tree, hidden ones after the visible ones. The
// slice is the outline's own and must not be changed.
func (o *Outline) Marked() []model.UID {
	if o.marked == nil && len(o.marks) > 0 {
		o.marked = o.collectMarked()
	}
	return o.marked
}

func (o *Outline) collectMarked() []model.UID {
	out := make([]model.UID, 0, len(o.marks))
	on := make([]bool, o.snap.Len()) // by index: looking up a uid for every row takes too long
	for uid := range o.marks {
		if i, ok := o.snap.Index(uid); ok {
			on[i] = true
		}
	}
	for _, row := range o.rows {
		if row >= 0 && on[row] {
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

// dropGoneMarks forgets tasks that are no longer there.
func (o *Outline) dropGoneMarks() {
	for uid := range o.marks {
		if _, ok := o.snap.Index(uid); !ok {
			delete(o.marks, uid)
		}
	}
}
