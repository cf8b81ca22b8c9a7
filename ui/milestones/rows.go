package milestones

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
)

// row is a milestone, or a task in it.
type row struct {
	milestone int32 // index in list; -1 for what is in none
	task      int32 // -1 for the row of the milestone itself
	depth     int32 // of the task below others of its milestone
}

// looseID stands for what is in no milestone: no milestone can be called so.
const looseID = ""

// id is what makes the row of a milestone the same in two snapshots.
func (v *List) id(r row) string {
	if r.milestone < 0 {
		return looseID
	}
	return v.list[r.milestone].ID
}

// key is what makes a row the same in two snapshots.
type key struct {
	id  string
	uid model.UID
}

func (v *List) keyOf(r row) key {
	if r.task >= 0 {
		return key{uid: v.snap.UID(int(r.task))}
	}
	return key{id: v.id(r)}
}

func (v *List) refresh(s *snapshot.Snapshot) {
	v.Dirty = true
	if s == nil {
		return
	}
	var was []key
	for _, r := range v.rows {
		was = append(was, v.keyOf(r))
	}
	cur := v.Cur
	_, offset := v.Win.Anchor(cur)
	v.snap, v.list = s, s.Milestones()
	v.flatten()
	v.Forget()
	v.Cur = 0
	if len(was) > 0 && len(v.rows) > 0 {
		now := make(map[key]int, len(v.rows))
		for i, r := range v.rows {
			now[v.keyOf(r)] = i
		}
		v.Cur = min(cur, len(v.rows)-1)
		for d := range len(was) {
			if at, ok := placeOf(now, was, cur-d); ok {
				v.Cur = at
				break
			}
			if at, ok := placeOf(now, was, cur+d); ok {
				v.Cur = at
				break
			}
		}
	}
	if v.Win.Put(v.Cur, offset, len(v.rows)); !v.Win.Sees(v.Cur) {
		v.Win.Follow(v.Cur, len(v.rows))
	}
}

// placeOf is where the row that was at r is now.
func placeOf(now map[key]int, was []key, r int) (int, bool) {
	if r < 0 || r >= len(was) {
		return 0, false
	}
	at, ok := now[was[r]]
	return at, ok
}

// flatten lists the milestones, and the tasks of those that are unfolded.
func (v *List) flatten() {
	v.rows, v.loose = nil, 0
	passes := func(i int32) bool { return v.Test == nil || v.Test(v.snap, int(i)) }
	inSome := 0
	for k := range v.list {
		m := &v.list[k]
		inSome += len(m.Tasks)
		if v.Test != nil && !slices.ContainsFunc(m.Tasks, passes) {
			continue
		}
		v.rows = append(v.rows, row{int32(k), -1, 0})
		if v.open[m.ID] {
			v.addTasks(int32(k), m.Tasks, passes)
		}
	}
	if len(v.list) == 0 {
		return
	}
	if v.Test == nil && !v.open[looseID] {
		v.loose = v.snap.Len() - inSome
	} else {
		var loose []int32
		v.walk(v.snap.Roots(), func(i int32) {
			if v.snap.MilestoneOf(int(i)) < 0 && passes(i) {
				loose = append(loose, i)
			}
		})
		if v.loose = len(loose); v.open[looseID] && v.loose > 0 {
			v.rows = append(v.rows, row{-1, -1, 0})
			v.addTasks(-1, loose, passes)
			return
		}
	}
	if v.loose > 0 {
		v.rows = append(v.rows, row{-1, -1, 0})
	}
}

// walk goes through the tree, parents first.
func (v *List) walk(from []int32, do func(i int32)) {
	for _, i := range from {
		do(i)
		v.walk(v.snap.Children(int(i)), do)
	}
}

// addTasks adds rows of tasks, which are in the order of the tree.
func (v *List) addTasks(k int32, tasks []int32, passes func(int32) bool) {
	depth := make(map[int32]int32, len(tasks))
	for _, i := range tasks {
		if !passes(i) {
			continue
		}
		d := int32(0)
		if above, ok := depth[v.snap.Parent(int(i))]; ok {
			d = above + 1
		}
		depth[i] = d
		v.rows = append(v.rows, row{k, i, d})
	}
}

// rowOf is the row of a task; -1 when it is not shown.
func (v *List) rowOf(uid model.UID) int {
	i, ok := v.snap.Index(uid)
	if !ok {
		return -1
	}
	return slices.IndexFunc(v.rows, func(r row) bool { return r.task == int32(i) })
}
