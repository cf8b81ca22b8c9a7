package milestones

import (
	"vespe/model"
	"vespe/ui/rows"
)

// Click puts the cursor on the row at a cell of the view, from its top left corner; it reports
// false when there is none. On the sign of a fold it folds or unfolds.
func (v *List) Click(x, y int) bool {
	r, ok := v.RowAt(x, y)
	if !ok {
		return false
	}
	v.MoveTo(r, 0)
	if v.OnHead() && x >= foldFrom && x <= foldFrom+1 {
		v.Toggle()
		return false
	}
	return true
}

// fold folds or unfolds what the row of a milestone holds.
func (v *List) fold(id string, open bool) {
	if v.open[id] == open {
		return
	}
	v.open[id] = open
	if v.snap == nil {
		return
	}
	at := v.Cur
	if at < len(v.rows) {
		at = v.headOf(at)
	}
	top := v.Win.Top
	v.flatten()
	v.Forget()
	v.Win.Top = top
	v.MoveTo(at, 0)
}

// headOf is the row of the milestone that a row belongs to.
func (v *List) headOf(r int) int {
	for r > 0 && v.rows[r].task >= 0 {
		r--
	}
	return r
}

// Toggle folds or unfolds the milestone under the cursor, or that of the task under it.
func (v *List) Toggle() {
	if v.Cur < len(v.rows) {
		id := v.id(v.rows[v.Cur])
		v.fold(id, !v.open[id])
	}
}

// Left goes from a task to its milestone, and folds that.
func (v *List) Left() {
	switch {
	case v.Cur >= len(v.rows):
	case v.rows[v.Cur].task >= 0:
		v.MoveTo(v.headOf(v.Cur), 0)
	default:
		v.fold(v.id(v.rows[v.Cur]), false)
	}
}

// Right unfolds a milestone, and goes to its first task.
func (v *List) Right() {
	if v.Cur >= len(v.rows) || v.rows[v.Cur].task >= 0 {
		return
	}
	if id := v.id(v.rows[v.Cur]); !v.open[id] {
		v.fold(id, true)
	} else if v.Cur+1 < len(v.rows) && v.rows[v.Cur+1].task >= 0 {
		v.MoveTo(v.Cur+1, 0)
	}
}

// FoldAll folds every milestone.
func (v *List) FoldAll() { v.foldEach(false) }

// UnfoldAll shows the tasks of every milestone, and not of what is in none.
func (v *List) UnfoldAll() { v.foldEach(true) }

func (v *List) foldEach(open bool) {
	if v.Cur >= len(v.rows) {
		return
	}
	at, onTask := v.keyOf(v.rows[v.headOf(v.Cur)]), v.rows[v.Cur].task >= 0
	var uid model.UID
	if onTask && open {
		uid, _ = v.Selected()
	}
	for k := range v.list {
		v.open[v.list[k].ID] = open
	}
	if !open {
		v.open[looseID] = false
	}
	v.flatten()
	v.Forget()
	for i, r := range v.rows {
		if k := v.keyOf(r); uid != "" && k.uid == uid || uid == "" && k == at {
			v.MoveTo(i, 0)
			return
		}
	}
	v.MoveTo(0, 0)
}

// Jump puts the cursor on a task, and unfolds its milestone; it reports false when the filter
// hides it.
func (v *List) Jump(uid model.UID) bool {
	if v.snap == nil || len(v.list) == 0 {
		return false
	}
	i, ok := v.snap.Index(uid)
	if !ok || v.Test != nil && !v.Test(v.snap, i) {
		return false
	}
	if v.rowOf(uid) < 0 {
		id := looseID
		if k := v.snap.MilestoneOf(i); k >= 0 {
			id = v.list[k].ID
		}
		v.open[id] = true
		v.flatten()
		v.Forget()
	}
	r := v.rowOf(uid)
	if r < 0 {
		return false
	}
	v.MoveTo(r, 0)
	return true
}

// jumpTo puts the cursor on a milestone, if the list has one of that id.
func (v *List) jumpTo(id string) {
	for i, r := range v.rows {
		if r.task < 0 && v.id(r) == id && id != looseID {
			v.MoveTo(i, 0)
			return
		}
	}
}

func (v *List) folded(r int) string {
	x := v.rows[r]
	switch {
	case x.task >= 0:
		return rows.Fold(v.snap.Name(int(x.task)))
	case x.milestone < 0:
		return rows.Fold(looseTitle)
	}
	return rows.Fold(v.list[x.milestone].Name + " " + v.list[x.milestone].ID)
}

// Keep remembers the cursor, the folds and what is in view, and returns what brings them back.
func (v *List) Keep() (restore func()) {
	var was key
	on := v.Cur < len(v.rows)
	if on {
		was = v.keyOf(v.rows[v.Cur])
	}
	offset := v.Cur - v.Win.Top
	open := map[string]bool{}
	for id, is := range v.open {
		open[id] = is
	}
	return func() {
		v.open = open
		if v.snap == nil {
			return
		}
		v.flatten()
		v.Forget()
		v.Dirty = true
		for i, r := range v.rows {
			if on && v.keyOf(r) == was {
				v.Cur = i
				v.Win.Top = i - offset
				v.Win.Clamp(len(v.rows))
				return
			}
		}
		v.MoveTo(v.Cur, 0)
	}
}

// Near puts the cursor on a task where it is shown, else on its milestone.
func (v *List) Near(uid model.UID) {
	if v.snap == nil || len(v.list) == 0 {
		return
	}
	if r := v.rowOf(uid); r >= 0 {
		v.MoveTo(r, 0)
		return
	}
	if i, ok := v.snap.Index(uid); ok {
		if k := v.snap.MilestoneOf(i); k >= 0 {
			v.jumpTo(v.list[k].ID)
		}
	}
}
