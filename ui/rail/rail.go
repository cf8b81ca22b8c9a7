package rail

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/ui/rows"
	"vespe/ui/style"
)

// manyLoose is from how many tasks on those without edges start folded into their count.
const manyLoose = 50

// Rail is the graph view. Build it with New; it is for one goroutine.
type Rail struct {
	rows.List

	snap     *snapshot.Snapshot
	hideDone bool
	keep     kept

	lay       *lanes // nil until a snapshot came
	width     int    // that the cap was chosen for
	loose     []int32
	looseOpen bool

	branch  map[turn]model.UID
	came    turn     // the last step along an edge; zero when the last step was none
	rest    int      // stubs with a name, where the last click was on the number of the others
	names   []string // folded, by task; nil until something is searched
	line    rows.Line
	cells   []cell
	marksAt glyphs
}

// turn is a way out of a task: towards its dependencies or its dependents.
type turn struct {
	from model.UID
	up   bool
}

// New makes an empty graph.
func New(st *style.Styles) *Rail {
	r := &Rail{branch: map[turn]model.UID{}}
	// Its rows are those of lay, then the head of the loose ones, then they.
	r.Init(st, rows.Rows{Len: r.Len, Folded: r.folded, Draw: r.paint, Filtered: r.rechoose, Moved: func() { r.came = turn{} }})
	r.SetStyles(st)
	return r
}

// SetStyles changes the theme.
func (r *Rail) SetStyles(st *style.Styles) {
	r.Styles, r.Dirty, r.marksAt = st, true, unicodeGlyphs()
	if st.Options.ASCII {
		r.marksAt = asciiGlyphs()
	}
}

// isMarked reports whether the task of a row is selected.
func (r *Rail) isMarked(row int) bool {
	return r.task(row) >= 0 && r.IsMarked(r.uid(row))
}

// SetSnapshot shows another moment of the store. The cursor stays with its task, on the
// same line of the screen; the layout is made anew only when tasks or edges are others.
func (r *Rail) SetSnapshot(s *snapshot.Snapshot) {
	if s == r.snap {
		return
	}
	r.Dirty = true
	keep := r.choose(s)
	if r.snap != nil && slices.Equal(keep, r.keep) && r.snap.SameGraph(s) {
		r.snap, r.names = s, nil
		r.Forget()
		return
	}
	first := r.snap == nil
	old := r.spot()
	r.snap, r.keep, r.names = s, keep, nil
	r.build()
	if first {
		r.looseOpen = len(r.loose) <= manyLoose
	}
	r.restore(old)
}

// choose picks the tasks that are shown.
func (r *Rail) choose(s *snapshot.Snapshot) kept {
	keep := make(kept, s.Len())
	for i := range keep {
		st := s.Status(i)
		keep[i] = !(r.hideDone && (st == model.StatusDone || st == model.StatusAborted)) &&
			(r.Test == nil || r.Test(s, i))
	}
	return keep
}

// build makes the layout for the tasks that are shown.
func (r *Rail) build() {
	g, node, loose := newGraph(r.snap, r.keep)
	r.loose = loose
	r.lay = newLanes(g, node, r.snap.Len(), laneCap(r.width))
	r.came, r.Dirty = turn{}, true
	r.Forget()
}

// rechoose applies another choice of tasks.
func (r *Rail) rechoose() {
	if r.snap == nil {
		return
	}
	old := r.spot()
	r.keep = r.choose(r.snap)
	r.build()
	r.restore(old)
	r.Win.Follow(r.Cur, r.Len())
}

// laneCap is how many lanes a pane of w columns gets: 8 at 80, 24 at 200, and never more
// than about a quarter of it.
func laneCap(w int) int {
	if w <= 80 {
		return max(1, w/10)
	}
	return min(24, 8+(w-80)*16/120)
}

// ToggleDone hides what is done or aborted, or shows it again; it returns whether it is
// hidden now.
func (r *Rail) ToggleDone() bool {
	r.hideDone = !r.hideDone
	r.rechoose()
	return r.hideDone
}

// Shown is how many tasks the graph shows, of how many.
func (r *Rail) Shown() (shown, total int) {
	if r.snap == nil {
		return 0, 0
	}
	return r.lay.len() + len(r.loose), r.snap.Len()
}

// Len is the number of rows.
func (r *Rail) Len() int {
	if r.lay == nil {
		return 0
	}
	n := r.lay.len()
	if len(r.loose) > 0 {
		n++
		if r.looseOpen {
			n += len(r.loose)
		}
	}
	return n
}

// task is the task of a row; -1 for the head of those without edges.
func (r *Rail) task(row int) int32 {
	switch n := r.lay.len(); {
	case row < n:
		return r.lay.task[row]
	case row > n && row-n-1 < len(r.loose):
		return r.loose[row-n-1]
	}
	return -1
}

// rowOf is the row of a task; -1 when it has none.
func (r *Rail) rowOf(i int32) int {
	if row := r.lay.row[i]; row >= 0 {
		return int(row)
	}
	if k, ok := slices.BinarySearch(r.loose, i); ok && r.looseOpen {
		return r.lay.len() + 1 + k
	}
	return -1
}

// Selected is the task under the cursor.
func (r *Rail) Selected() (model.UID, bool) {
	if r.Cur >= r.Len() {
		return "", false
	}
	i := r.task(r.Cur)
	if i < 0 {
		return "", false
	}
	return r.snap.UID(int(i)), true
}

// InView are the tasks of the rows in view.
func (r *Rail) InView() (uids []model.UID) {
	if r.lay == nil {
		return nil
	}
	for row, to := r.Win.Span(r.Len()); row < to; row++ {
		if i := r.task(row); i >= 0 {
			uids = append(uids, r.snap.UID(int(i)))
		}
	}
	return uids
}

// OnHead reports whether the cursor is on the row that heads the tasks without edges.
func (r *Rail) OnHead() bool {
	return r.lay != nil && len(r.loose) > 0 && r.Cur == r.lay.len()
}

// ToggleLoose folds the tasks without edges into their count, or lists them.
func (r *Rail) ToggleLoose() {
	if r.lay == nil || len(r.loose) == 0 {
		return
	}
	r.looseOpen = !r.looseOpen
	r.Cur = min(r.Cur, r.Len()-1)
	r.Forget()
	r.List.Follow()
}

// spot is what was on which line of the screen.
type spot struct {
	uids   []model.UID // of the rows around the cursor, "" for the head
	at     int         // the cursor among them
	hold   int         // the row among them that stays on its line, the offset-th
	offset int
	ok     bool
}

// around is how far a cursor whose task has gone looks for a neighbor.
const around = 2000

func (r *Rail) spot() spot {
	n := r.Len()
	if n == 0 {
		return spot{}
	}
	from, to := max(0, r.Cur-around), min(n, r.Cur+around)
	hold, offset := r.Win.Anchor(r.Cur)
	if hold+1 < n && r.task(hold) < 0 { // the head of the loose ones is no task
		hold, offset = hold+1, offset+1
	}
	if hold < from || hold >= to {
		hold, offset = r.Cur, r.Cur-r.Win.Top
	}
	s := spot{at: r.Cur - from, hold: hold - from, offset: offset, ok: true}
	for row := from; row < to; row++ {
		uid := model.UID("")
		if i := r.task(row); i >= 0 {
			uid = r.snap.UID(int(i))
		}
		s.uids = append(s.uids, uid)
	}
	return s
}

// restore puts the cursor on the task that it was on, or on the nearest one left.
func (r *Rail) restore(s spot) {
	r.Dirty = true
	n := r.Len()
	if !s.ok || n == 0 {
		r.Cur, r.Win.Top = 0, 0
		return
	}
	if s.at < len(s.uids) {
		if i, ok := r.snap.Index(s.uids[s.at]); ok && !r.looseOpen && slices.Contains(r.loose, int32(i)) {
			r.looseOpen = true // its last edge went: a cursor on another task would have the next key act on that
			n = r.Len()
		}
	}
	r.Cur = r.nearest(s.uids, s.at, min(r.Cur, n-1))
	hold := r.Cur
	if s.hold != s.at {
		hold = r.nearest(s.uids, s.hold, r.Cur)
	}
	r.Win.Put(hold, s.offset, n)
}

// nearest is the row of a task, or of the one closest to it that is left.
func (r *Rail) nearest(uids []model.UID, at, otherwise int) int {
	for d := range len(uids) {
		if row := r.first(uids, at+d, at-d); row >= 0 {
			return row
		}
	}
	return otherwise
}

func (r *Rail) first(uids []model.UID, at ...int) int {
	for _, k := range at {
		if k < 0 || k >= len(uids) {
			continue
		}
		if i, ok := r.snap.Index(uids[k]); ok {
			if row := r.rowOf(int32(i)); row >= 0 {
				return row
			}
		}
	}
	return -1
}
