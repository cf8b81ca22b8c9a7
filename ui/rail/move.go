package rail

import (
	"slices"

	"vespe/model"
)

// Jump puts the cursor on a task; it reports false when the graph does not show it.
func (r *Rail) Jump(uid model.UID) bool {
	if r.snap == nil {
		return false
	}
	i, ok := r.snap.Index(uid)
	if !ok || !r.keep[i] {
		return false
	}
	if r.rowOf(int32(i)) < 0 && !r.looseOpen {
		r.looseOpen = true
		r.Forget()
	}
	row := r.rowOf(int32(i))
	if row < 0 {
		return false
	}
	r.MoveTo(row, 0)
	return true
}

// neighbors are the rows of a row's dependencies (up) or dependents, the nearest first.
func (r *Rail) neighbors(row int, up bool) []int {
	if r.lay == nil || row >= r.lay.len() {
		return nil
	}
	var out []int
	if up {
		for _, e := range r.lay.into(int32(row)) {
			out = append(out, int(r.lay.from[e]))
		}
	} else {
		first, end := r.lay.out(int32(row))
		for e := first; e < end; e++ {
			out = append(out, int(r.lay.to[e]))
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return abs(a-row) - abs(b-row) })
	return out
}

func abs(x int) int { return max(x, -x) }

// Follow goes along an edge to a dependency (up) or a dependent: to where it led last
// time, or else to the nearest one. It reports false when there is no such edge.
func (r *Rail) Follow(up bool) bool {
	list := r.neighbors(r.Cur, up)
	if len(list) == 0 {
		return false
	}
	way := turn{r.uid(r.Cur), up}
	to := list[0]
	if uid, ok := r.branch[way]; ok {
		for _, row := range list {
			if r.uid(row) == uid {
				to = row
			}
		}
	}
	r.take(way, to)
	return true
}

// Alternative goes, after a step along an edge, to the next (1) or previous (-1) of the
// tasks that the step could have led to. It reports false when there is no other.
func (r *Rail) Alternative(d int) bool {
	list := r.branches()
	k := slices.Index(list, r.Cur)
	if k < 0 || len(list) < 2 {
		return false
	}
	r.take(r.came, list[((k+d)%len(list)+len(list))%len(list)])
	return true
}

// branches are the rows that the last step along an edge could have led to; none when the
// last step was no such step.
func (r *Rail) branches() []int {
	if r.came == (turn{}) {
		return nil
	}
	i, ok := r.snap.Index(r.came.from)
	if !ok || r.rowOf(int32(i)) < 0 {
		return nil
	}
	return r.neighbors(r.rowOf(int32(i)), r.came.up)
}

// Branching reports whether Alternative would go anywhere.
func (r *Rail) Branching() bool { return len(r.branches()) > 1 }

// take makes a step and remembers it in both directions.
func (r *Rail) take(way turn, to int) {
	r.Cur = to
	r.branch[way] = r.uid(to)
	r.branch[turn{r.uid(to), !way.up}] = way.from
	r.came = way
	r.List.Follow()
}

func (r *Rail) uid(row int) model.UID { return r.snap.UID(int(r.task(row))) }

// Hit is what a click was on.
type Hit int

// What a click can be on.
const (
	HitNothing Hit = iota
	HitRow         // the cursor is there now
	HitStub        // a stub: the cursor is at its other end
	HitHead        // the tasks without edges were folded or unfolded
	HitMore        // the number of the stubs that had no room: Unnamed are their other ends
)

// Click acts on a click at a cell of the view, from its top left corner.
func (r *Rail) Click(x, y int) Hit {
	row, ok := r.RowAt(x, y)
	if !ok {
		return HitNothing
	}
	if row == r.lay.len() {
		r.MoveTo(row, 0)
		r.ToggleLoose()
		return HitHead
	}
	if row < r.lay.len() {
		_, stubs := r.text(row, r.width)
		for _, s := range stubs {
			if x >= s.x && x < s.x+s.width && s.to < 0 {
				r.MoveTo(row, 0)
				r.rest = s.skip
				return HitMore
			}
			if x >= s.x && x < s.x+s.width {
				r.take(turn{r.uid(row), s.up}, s.to)
				return HitStub
			}
		}
	}
	r.MoveTo(row, 0)
	return HitRow
}

// Unnamed are the tasks at the other ends of the stubs that had no room where the last click was.
func (r *Rail) Unnamed() (uids []model.UID) {
	if r.lay == nil || r.Cur >= r.lay.len() {
		return nil
	}
	n := 0
	r.elided(r.Cur, func(to int, _, _ bool) {
		if n++; n > r.rest {
			uids = append(uids, r.uid(to))
		}
	})
	return uids
}

// Keep remembers the cursor and what is in view, and returns what brings them back.
func (r *Rail) Keep() (restore func()) {
	s, open := r.spot(), r.looseOpen
	return func() {
		if r.lay == nil {
			return
		}
		r.looseOpen = open
		r.restore(s)
	}
}
