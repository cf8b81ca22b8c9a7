package rail

import "slices"

// A lane is a vertical line that ends at one row: every edge to that row joins it, so
// following a lane down always leads to exactly one task.
type lane struct {
	target int32 // row it ends at
	start  int32 // row of the first edge that joins it
	col    int32
	// dropped: it would have needed a column beyond the cap, and none of it is drawn.
	// Its edges are stubs at both ends.
	dropped bool
}

// backEdge stands in lanes' place for an edge that runs up or to itself.
const backEdge = -1

// spare is how many columns there are beyond the lanes.
const spare = 2

// every is the distance in rows between two checkpoints.
const every = 64

// lanes is the whole picture as numbers, computed once per structure and cap. Rows, not
// tasks, are the currency: task maps a row to its task.
type lanes struct {
	cap  int // most lanes side by side
	cols int // columns in use, nodes' own included

	task []int32 // row → task
	row  []int32 // task → row; -1 when it has none

	start, to   []int32 // edges by source row, targets ascending
	inStart, in []int32 // edge numbers by target row, sources ascending
	from        []int32 // edge → source row
	via         []int32 // edge → lane, or backEdge
	all         []lane
	col         []int32 // row → column of its node

	marks []int32 // checkpoints: cols entries for every 64th row
}

func (l *lanes) len() int { return len(l.task) }

// out and into are the numbers of the first and one past the last edge of a row.
func (l *lanes) out(r int32) (first, end int32) { return l.start[r], l.start[r+1] }
func (l *lanes) into(r int32) []int32           { return l.in[l.inStart[r]:l.inStart[r+1]] }

// drawn reports whether edge e is a line on the screen.
func (l *lanes) drawn(e int32) bool {
	return l.via[e] != backEdge && !l.all[l.via[e]].dropped
}

// newLanes orders the graph's nodes into rows and gives every edge a lane.
func newLanes(g *graph, node []int32, tasks, laneCap int) *lanes {
	order := g.order()
	l := &lanes{cap: max(1, laneCap), task: make([]int32, g.n), row: make([]int32, tasks)}
	for t := range l.row {
		l.row[t] = -1
	}
	rowOf := make([]int32, g.n)
	for r, v := range order {
		rowOf[v] = int32(r)
		l.task[r] = node[v]
		l.row[node[v]] = int32(r)
	}
	l.edges(g, order, rowOf)
	l.recap(l.cap)
	return l
}

// recap lays the lanes out anew for another cap; rows stay as they are.
func (l *lanes) recap(laneCap int) {
	l.cap, l.cols, l.all = max(1, laneCap), 0, l.all[:0]
	l.assign()
	l.checkpoint()
}

// edges turns the graph's edges into rows. Both lists come out ascending because targets
// and sources are visited in row order.
func (l *lanes) edges(g *graph, order, rowOf []int32) {
	n := len(order)
	in := make([]int32, n+1)
	for _, w := range g.to {
		in[rowOf[w]+1]++
	}
	for r := range n {
		in[r+1] += in[r]
	}
	source := make([]int32, len(g.to)) // by target row
	at := slices.Clone(in[:n])
	for r, v := range order {
		for _, w := range g.out(v) {
			t := rowOf[w]
			source[at[t]] = int32(r)
			at[t]++
		}
	}
	l.start = make([]int32, n+1)
	for _, s := range source {
		l.start[s+1]++
	}
	for r := range n {
		l.start[r+1] += l.start[r]
	}
	l.to = make([]int32, len(source))
	l.from = make([]int32, len(source))
	l.in = make([]int32, len(source))
	l.inStart = in
	at = append(at[:0], l.start[:n]...)
	for t := range n {
		for k := in[t]; k < in[t+1]; k++ {
			s := source[k]
			e := at[s]
			at[s]++
			l.to[e], l.from[e], l.in[k] = int32(t), s, e
		}
	}
}

// assign walks the rows once and decides the columns of nodes and lanes. At most cap
// lanes run side by side, and there are two columns more, so that a node without a lane
// always finds a place, and one that is not under the node above it: two nodes in one
// column on neighboring rows are always an edge. When a lane too many is needed, the one
// that would end farthest down is dropped (Belady): it would block a column for longest.
func (l *lanes) assign() {
	n := l.len()
	l.col = make([]int32, n)
	l.via = make([]int32, len(l.to))
	cols := make([]int32, l.cap+spare) // column → lane, -1 when free
	for c := range cols {
		cols[c] = -1
	}
	laneOf := make([]int32, n) // target row → its lane
	for r := range laneOf {
		laneOf[r] = -1
	}
	active := 0
	for r := range int32(n) {
		if id := laneOf[r]; id >= 0 {
			l.col[r] = l.all[id].col
			cols[l.all[id].col] = -1
			active--
		} else {
			l.col[r] = int32(slices.Index(cols, -1))
			if r > 0 && l.col[r] == l.col[r-1] {
				l.col[r]++
				l.col[r] += int32(slices.Index(cols[l.col[r]:], -1))
			}
		}
		first, end := l.out(r)
		for e := first; e < end; e++ {
			t := l.to[e]
			if t <= r {
				l.via[e] = backEdge
				continue
			}
			if laneOf[t] < 0 {
				ln := lane{target: t, start: r, col: -1}
				if active == l.cap {
					ln.dropped = !l.makeRoom(cols, laneOf, t)
				} else {
					active++
				}
				id := int32(len(l.all))
				if !ln.dropped {
					ln.col = nearestFree(cols, l.col[r])
					cols[ln.col], laneOf[t] = id, id
				}
				l.all = append(l.all, ln)
				l.via[e] = id
				continue
			}
			l.via[e] = laneOf[t]
		}
		l.cols = max(l.cols, int(l.col[r])+1)
	}
	for _, ln := range l.all {
		if !ln.dropped {
			l.cols = max(l.cols, int(ln.col)+1)
		}
	}
}

// makeRoom drops the active lane that ends farthest down and reports true, or reports
// false when a lane to row t would itself be that one.
func (l *lanes) makeRoom(cols, laneOf []int32, t int32) bool {
	far := int32(-1)
	for _, id := range cols {
		if id >= 0 && (far < 0 || l.all[id].target > l.all[far].target) {
			far = id
		}
	}
	if l.all[far].target < t {
		return false
	}
	l.all[far].dropped = true
	cols[l.all[far].col] = -1
	laneOf[l.all[far].target] = -1
	return true
}

// nearestFree is the free column nearest to c, the left one of two.
func nearestFree(cols []int32, c int32) int32 {
	for d := int32(0); ; d++ {
		if c-d >= 0 && cols[c-d] < 0 {
			return c - d
		}
		if int(c+d) < len(cols) && cols[c+d] < 0 {
			return c + d
		}
	}
}

// checkpoint stores what runs through every 64th row, so that drawing starts near the
// viewport.
func (l *lanes) checkpoint() {
	l.marks = make([]int32, 0, (l.len()/every+1)*l.cols)
	cols := l.empty()
	for r := range int32(l.len()) {
		if r%every == 0 {
			l.marks = append(l.marks, cols...)
		}
		l.advance(cols, r)
	}
}

func (l *lanes) empty() []int32 {
	cols := make([]int32, l.cols)
	for c := range cols {
		cols[c] = -1
	}
	return cols
}

// advance turns what runs above row r into what runs below it.
func (l *lanes) advance(cols []int32, r int32) {
	if id := cols[l.col[r]]; id >= 0 && l.all[id].target == r {
		cols[l.col[r]] = -1
	}
	first, end := l.out(r)
	for e := first; e < end; e++ {
		if !l.drawn(e) {
			continue
		}
		if ln := l.all[l.via[e]]; ln.start == r {
			cols[ln.col] = l.via[e]
		}
	}
}

// above returns what runs into row r from above: the lane in each column, or -1.
func (l *lanes) above(r int32) []int32 {
	if l.cols == 0 {
		return nil
	}
	k := int(r) / every
	cols := slices.Clone(l.marks[k*l.cols : (k+1)*l.cols])
	for q := int32(k * every); q < r; q++ {
		l.advance(cols, q)
	}
	return cols
}
