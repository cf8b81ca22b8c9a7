package milestones

import (
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// List is the view of milestones. Build it with New; it is for one goroutine.
type List struct {
	rows.List

	snap  *snapshot.Snapshot
	list  []snapshot.Milestoning
	loose int // tasks in no milestone that the filter leaves
	rows  []row
	open  map[string]bool // ids of what is unfolded; looseID for what is in none
	line  rows.Line
}

// New makes an empty view.
func New(st *style.Styles) *List {
	v := &List{open: map[string]bool{}}
	v.Init(st, rows.Rows{
		Len: func() int { return len(v.rows) }, Folded: v.folded, Draw: v.draw, Filtered: func() { v.refresh(v.snap) },
	})
	return v
}

// SetSnapshot shows another moment of the store. The cursor stays on its milestone or task, on
// the same line of the screen; when that is gone, on the one nearest to it.
func (v *List) SetSnapshot(s *snapshot.Snapshot) {
	if s != v.snap {
		v.refresh(s)
	}
}

// Milestone is the milestone under the cursor; false on a task, and on what is in none.
func (v *List) Milestone() (*snapshot.Milestoning, bool) {
	if v.Cur >= len(v.rows) || v.rows[v.Cur].task >= 0 || v.rows[v.Cur].milestone < 0 {
		return nil, false
	}
	return &v.list[v.rows[v.Cur].milestone], true
}

// OnHead reports whether the cursor is on a row that folds.
func (v *List) OnHead() bool { return v.Cur < len(v.rows) && v.rows[v.Cur].task < 0 }

// Selected is the task under the cursor.
func (v *List) Selected() (model.UID, bool) {
	if v.Cur >= len(v.rows) || v.rows[v.Cur].task < 0 {
		return "", false
	}
	return v.snap.UID(int(v.rows[v.Cur].task)), true
}

// InView are the tasks of the rows in view.
func (v *List) InView() (uids []model.UID) {
	from, to := v.Win.Span(len(v.rows))
	for _, r := range v.rows[from:to] {
		if r.task >= 0 {
			uids = append(uids, v.snap.UID(int(r.task)))
		}
	}
	return uids
}
