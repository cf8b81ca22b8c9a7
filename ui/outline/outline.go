package outline

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// smallStore is up to how many tasks the whole tree starts unfolded.
const smallStore = 400

// openDepth is how many levels start unfolded in a larger store.
const openDepth = 2

// storeRow is the row that heads the problems which belong to no task.
const storeRow = int32(-1 << 31)

// Outline is the tree view. Build it with New; it is for one goroutine.
type Outline struct {
	rows.List

	snap     *snapshot.Snapshot
	problems []model.Problem
	owner    []int32           // problem → task, -1 for the store
	flaws    map[int32][]int32 // task → its problems; -1 for the store's

	open      []bool // task → unfolded
	storeOpen bool
	last      []bool  // task → the last visible child of its parent
	rows      []int32 // a task, ^problem, or storeRow

	filter   filter
	searched searched
	marks    map[model.UID]struct{}
	marked   []model.UID // what Marked has found; nil where it is to be found again

	line       rows.Line
	guideCells []string
	right      []span
	worst      []model.Status // WorstFirst
}

// New makes an empty tree.
func New(st *style.Styles) *Outline {
	o := &Outline{marks: map[model.UID]struct{}{}, worst: snapshot.WorstFirst()}
	o.Init(st, rows.Rows{Len: o.Len, Draw: o.draw})
	o.Search = rows.NewSearch(o.list, func() { o.Dirty = true })
	return o
}

// SetSnapshot shows another moment of the store. Folds, cursor, selection and scroll
// position stay with their tasks; when only statuses or texts changed, rows are not
// built again.
func (o *Outline) SetSnapshot(s *snapshot.Snapshot) {
	if s == o.snap {
		return
	}
	o.Dirty = true
	problems := s.Problems()
	if o.snap != nil && o.snap.SameTree(s) && slices.Equal(o.problems, problems) {
		o.renamed(o.snap, s)
		o.snap, o.problems = s, problems
		if o.filter.on() && o.filter.apply(s) {
			o.forgetSearched()
			o.rebuild()
		}
		return
	}
	spot := o.spot()
	o.carryFolds(s)
	o.snap = s
	o.setProblems(problems)
	o.filter.apply(s)
	o.forgetSearched()
	o.dropGoneMarks()
	o.uncover(spot)
	o.flatten()
	o.restore(spot)
}

// uncover unfolds what is above the cursor's task, where others have moved it below a task
// that is folded: a cursor on another task would have the next key act on that.
func (o *Outline) uncover(s spot) {
	if s.cur >= len(s.rows) || s.rows[s.cur] < 0 {
		return
	}
	i, ok := o.snap.Index(s.snap.UID(int(s.rows[s.cur])))
	if !ok || !o.shown(int32(i)) {
		return
	}
	open := o.folds()
	for p := o.snap.Parent(i); p >= 0; p = o.snap.Parent(int(p)) {
		open[p] = true
	}
}

// carryFolds takes the folds over to a snapshot with other tasks; tasks that are new get
// the default, and so do those that have their first child. Both snapshots are in uid
// order.
func (o *Outline) carryFolds(s *snapshot.Snapshot) {
	if o.snap == nil {
		o.storeOpen = true
	}
	o.open = carry(o.snap, s, o.open, func(i, was int) bool {
		if was < 0 || len(o.snap.Children(was)) == 0 && len(s.Children(i)) > 0 {
			return opensAtFirst(s, i)
		}
		return o.open[was]
	})
	if o.filter.on() {
		o.filter.shown = nil
		o.filter.open = carry(o.snap, s, o.filter.open, func(_, was int) bool {
			return was < 0 || o.filter.open[was]
		})
	}
}

// carry asks for every task of a snapshot, with its index in the old one or -1.
func carry(old, now *snapshot.Snapshot, was []bool, fold func(i, was int) bool) []bool {
	open := make([]bool, now.Len())
	k := 0
	for i := range open {
		uid := now.UID(i)
		at := -1
		if old != nil {
			for k < old.Len() && old.UID(k) < uid {
				k++
			}
			if k < old.Len() && k < len(was) && old.UID(k) == uid {
				at = k
			}
		}
		open[i] = fold(i, at)
	}
	return open
}

// opensAtFirst is the fold of a task that nobody has folded: what is over is folded, a
// small store is open, a large one down to openDepth.
func opensAtFirst(s *snapshot.Snapshot, i int) bool {
	if len(s.Children(i)) == 0 {
		return false
	}
	c := s.Counts(i)
	if int(c[model.StatusDone]+c[model.StatusAborted]) == c.Sum() {
		return false
	}
	return s.Len() <= smallStore || s.Depth(i) < openDepth
}

func (o *Outline) setProblems(problems []model.Problem) {
	o.problems = problems
	o.owner = make([]int32, len(problems))
	o.flaws = map[int32][]int32{}
	for k, p := range problems {
		task := int32(-1)
		if p.UID != "" {
			if i, ok := o.snap.Index(p.UID); ok {
				task = int32(i)
			}
		}
		o.owner[k] = task
		o.flaws[task] = append(o.flaws[task], int32(k))
	}
}

// Len is the number of visible rows.
func (o *Outline) Len() int { return len(o.rows) }

// Selected is the task under the cursor; on the row of a problem, the task it belongs to.
func (o *Outline) Selected() (model.UID, bool) {
	i, ok := o.current()
	if !ok {
		return "", false
	}
	return o.snap.UID(int(i)), true
}

// InView are the tasks of the rows in view.
func (o *Outline) InView() (uids []model.UID) {
	from, to := o.Win.Span(len(o.rows))
	for _, row := range o.rows[from:to] {
		if row >= 0 {
			uids = append(uids, o.snap.UID(int(row)))
		}
	}
	return uids
}

// current is the task that the cursor's row belongs to.
func (o *Outline) current() (int32, bool) {
	if o.Cur >= len(o.rows) {
		return -1, false
	}
	t := o.taskOf(o.rows[o.Cur])
	return t, t >= 0
}

func (o *Outline) taskOf(row int32) int32 {
	switch {
	case row >= 0:
		return row
	case row == storeRow:
		return -1
	}
	return o.owner[^row]
}

// Problem is the problem under the cursor.
func (o *Outline) Problem() (model.Problem, bool) {
	if o.Cur >= len(o.rows) || o.rows[o.Cur] >= 0 || o.rows[o.Cur] == storeRow {
		return model.Problem{}, false
	}
	return o.problems[^o.rows[o.Cur]], true
}
