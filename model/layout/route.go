package layout

import "slices"

// wire is what leaves one vertex to the right, between two columns: from its row to a vertical
// track, and from there to the rows where it enters what follows. A wire whose rows are one has no
// track. A wire in two parts (then) first goes to a free row, and from there on as the second.
type wire struct {
	v       int // the vertex
	exit    int // row
	ends    []end
	lo, hi  int // rows
	track   int // from 0 at the left, or -1
	then    *wire
	isThen  bool
	trackAt int // cell
}

// end is a row where a wire enters the next column.
type end struct{ row, vertex int }

// run is cells in a row or in a column, from and to among them, that a line passes.
type run struct {
	upright  bool
	at       int // its row, or its column of cells when upright
	from, to int
	line     int32
	tree     int32 // runs of one tree join where they meet
}

// sign is a cell with a rune of its own.
type sign struct {
	x    int
	kind signKind
	line int32
}

type signKind uint8

const (
	arrow     signKind = iota // where a line enters a label
	tailArrow                 // where only turned edges do
	turnedSign
	bothWays
)

// router makes the lines of a drawing.
type router struct {
	c     *canonical
	p     *proper
	place *placer
	l     *Layout
	wires [][]*wire // by column
	from  []*wire   // by vertex: its wire
	left  []int     // by column: the cell where arrows stand; labels begin behind it
	wide  []int     // by column: the widest label
	arcOf map[[2]int]arc
}

func (r *router) route(l *Layout) {
	r.l = l
	for _, a := range r.p.arcs {
		r.arcOf[[2]int{a.tail, a.head}] = a
	}
	for v := range r.p.rank {
		l.Height = max(l.Height, r.place.y[v]+r.place.height[v])
	}
	x := 0
	for k, layer := range r.p.layers {
		r.left = append(r.left, x)
		wide := 0
		for _, v := range layer {
			if v < r.p.real {
				wide = max(wide, r.c.width[v])
			}
		}
		r.wide = append(r.wide, wide)
		x += 1 + wide
		if k+1 < len(r.p.layers) {
			wires, tracks := r.channel(layer)
			for _, w := range wires {
				w.trackAt = x + 1 + w.track
			}
			r.wires = append(r.wires, wires)
			x += tracks + 2
		}
	}
	l.Width = x
	r.places()
	l.rows, l.signs = make([][]int32, l.Height), make([][]sign, l.Height)
	l.uprights = make([][]int32, l.Width)
	for _, wires := range r.wires {
		for _, w := range wires {
			r.draw(w)
		}
	}
	for v := range r.p.real {
		r.entries(v)
	}
	l.ways = make([][]Point, len(l.edges))
	for _, a := range r.p.arcs {
		way := r.way(a)
		for _, e := range a.edges() {
			l.ways[e] = way
		}
	}
}

// places says where labels stand, and what comes after and before each node.
func (r *router) places() {
	l, p := r.l, r.p
	l.place, l.column = make([]Place, r.c.n), make([][]int, len(p.layers))
	for k, layer := range p.layers {
		for _, v := range layer {
			if v < p.real {
				i := r.c.node[v]
				l.place[i] = Place{k, len(l.column[k]), r.left[k] + 1, r.place.exit(v), r.c.width[v]}
				l.column[k] = append(l.column[k], i)
			}
		}
	}
	l.after, l.before = make([][]int, r.c.n), make([][]int, r.c.n)
	for _, a := range p.arcs {
		t, h := r.c.node[a.tail], r.c.node[a.head]
		l.after[t], l.before[h] = append(l.after[t], h), append(l.before[h], t)
	}
	byPlace := func(a, b int) int { return comparePlaces(l.place[a], l.place[b]) }
	for v := range r.c.n {
		slices.SortFunc(l.after[v], byPlace)
		slices.SortFunc(l.before[v], byPlace)
	}
}

// channel makes the wires that leave one column, with their tracks.
func (r *router) channel(layer []int) (wires []*wire, tracks int) {
	s := r.place
	taken := make(map[int]bool) // rows where something enters or leaves
	for _, v := range layer {
		next := r.p.next.of(v)
		if len(next) == 0 {
			continue
		}
		w := &wire{v: v, exit: s.exit(v), track: -1}
		for k, to := range next {
			w.ends = append(w.ends, end{s.y[to] + s.entry[r.p.next.off[v]+k], to})
		}
		w.span()
		r.from[v] = w
		wires = append(wires, w)
		taken[w.exit] = true
		for _, e := range w.ends {
			taken[e.row] = true
		}
	}
	wires = r.unring(wires, taken)
	return wires, assignTracks(wires)
}

func (w *wire) span() {
	slices.SortFunc(w.ends, func(a, b end) int { return a.row - b.row })
	w.lo, w.hi = min(w.exit, w.ends[0].row), max(w.exit, w.ends[len(w.ends)-1].row)
}

func (w *wire) bent() bool { return w.lo != w.hi }

// unring parts wires that would have to be left of each other in a ring: a wire must turn off its
// row before the one that enters in that row comes from its own track.
func (r *router) unring(wires []*wire, taken map[int]bool) []*wire {
	owner := map[int]*wire{}
	for _, w := range wires {
		for _, e := range w.ends {
			owner[e.row] = w
		}
	}
	state := map[*wire]int{} // the walk that came by, from 1 on
	for k, first := range wires {
		w := first
		for w != nil && state[w] == 0 {
			state[w] = k + 1
			if next := owner[w.exit]; next == w {
				w = nil
			} else {
				w = next
			}
		}
		if w == nil || state[w] != k+1 {
			continue
		}
		// w is in a ring. The one of the ring that reaches least far is parted.
		part := w
		for x := owner[w.exit]; x != w; x = owner[x.exit] {
			if x.hi-x.lo < part.hi-part.lo {
				part = x
			}
		}
		row := r.freeRow(part, taken)
		taken[row] = true
		second := &wire{v: part.v, exit: row, ends: part.ends, isThen: true, track: -1}
		second.span()
		part.ends, part.then = []end{{row, -1}}, second
		part.span()
		wires = append(wires, second)
	}
	return wires
}

// freeRow is the row next to a wire in which nothing enters or leaves, or a new one below all.
func (r *router) freeRow(w *wire, taken map[int]bool) int {
	for d := range r.l.Height {
		for _, y := range []int{w.exit + d, w.exit - d} {
			if y >= 0 && y < r.l.Height && !taken[y] {
				return y
			}
		}
	}
	r.l.Height++
	return r.l.Height - 1
}

// edges is the edges that some arcs stand for.
func (r *router) edges(arcs []int) []int {
	out := make([]int, 0, len(arcs)+1)
	for _, k := range arcs {
		out = append(out, r.p.arcs[k].edges()...)
	}
	return out
}

func (r *router) newLine(edges []int) int32 {
	slices.Sort(edges)
	r.l.lines = append(r.l.lines, edges)
	return int32(len(r.l.lines) - 1)
}

func (a arc) edges() []int {
	var out []int
	if a.plain >= 0 {
		out = append(out, a.plain)
	}
	if a.turned >= 0 {
		out = append(out, a.turned)
	}
	return out
}

// arcsTo is the arcs of a vertex that go on to one that follows it.
func (r *router) arcsTo(v, next int) []int {
	if next >= r.p.real {
		return r.p.along(next)
	}
	for _, k := range r.p.fan[r.p.source[v]] {
		if r.p.arcs[k].head == next {
			return []int{k}
		}
	}
	return nil
}

// start is the cell where the line of a vertex begins: the last one of its label, or where it
// came in.
func (r *router) start(v int) int {
	x := r.left[r.p.rank[v]]
	if v < r.p.real {
		x += r.c.width[v]
	}
	return x
}

// draw makes the runs of a wire, from its vertex up to the column of arrows.
func (r *router) draw(w *wire) {
	tree := int32(r.p.source[w.v])
	whole := r.newLine(r.edges(r.p.along(w.v)))
	right := r.left[r.p.rank[w.v]+1]
	from := r.start(w.v)
	if w.isThen {
		from = r.from[w.v].trackAt
	}
	if !w.bent() {
		r.flat(w.exit, from, right, whole, tree)
		return
	}
	r.flat(w.exit, from, w.trackAt, whole, tree)
	if w.then != nil {
		r.upright(w.trackAt, w.exit, w.ends[0].row, whole, tree)
		return
	}
	for _, down := range []bool{true, false} {
		// Outwards from the exit the line carries ever less: from the far end it is gathered.
		var edges []int
		row, some := 0, false
		for i := range w.ends {
			e := w.ends[i]
			if down {
				e = w.ends[len(w.ends)-1-i]
			}
			if down && e.row <= w.exit || !down && e.row >= w.exit {
				break
			}
			if some {
				r.upright(w.trackAt, row, e.row, r.newLine(slices.Clone(edges)), tree)
			}
			edges = append(edges, r.edges(r.arcsTo(w.v, e.vertex))...)
			row, some = e.row, true
		}
		if some {
			r.upright(w.trackAt, row, w.exit, r.newLine(slices.Clone(edges)), tree)
		}
	}
	for _, e := range w.ends {
		r.flat(e.row, w.trackAt, right, r.newLine(r.edges(r.arcsTo(w.v, e.vertex))), tree)
	}
}

func (r *router) flat(y, from, to int, line, tree int32) {
	r.l.rows[y] = append(r.l.rows[y], int32(len(r.l.runs)))
	r.l.runs = append(r.l.runs, run{false, y, from, to, line, tree})
}

func (r *router) upright(x, from, to int, line, tree int32) {
	r.l.uprights[x] = append(r.l.uprights[x], int32(len(r.l.runs)))
	r.l.runs = append(r.l.runs, run{true, x, min(from, to), max(from, to), line, tree})
}

// entries makes what stands just before a label: the column in which its lines meet, its arrow, and
// the signs of turned edges.
func (r *router) entries(v int) {
	prev := r.p.prev.of(v)
	if len(prev) == 0 {
		return
	}
	x, top, label := r.left[r.p.rank[v]], r.place.y[v], r.place.exit(v)
	tree := int32(r.p.real + v)
	into := make([][]int, len(prev))
	var all []int
	forward := false
	for j, u := range prev {
		a := r.arcOf[[2]int{r.p.source[u], v}]
		into[j] = a.edges()
		all = append(all, into[j]...)
		line := r.newLine(into[j])
		switch {
		case a.plain < 0:
			r.sign(top+j, x-1, turnedSign, line)
		case a.turned >= 0:
			r.sign(top+j, x-1, bothWays, line)
		}
		forward = forward || a.plain >= 0
	}
	kind := arrow
	if !forward {
		kind = tailArrow
	}
	whole := r.newLine(all)
	r.sign(label, x, kind, whole)
	r.flat(label, x, x+1, whole, tree)
	var edges []int
	for y := top; y < label; y++ {
		edges = append(edges, into[y-top]...)
		r.upright(x, y, y+1, r.newLine(slices.Clone(edges)), tree)
	}
	edges = nil
	for y := top + len(prev) - 1; y > label; y-- {
		edges = append(edges, into[y-top]...)
		r.upright(x, y-1, y, r.newLine(slices.Clone(edges)), tree)
	}
}

func (r *router) sign(y, x int, kind signKind, line int32) {
	r.l.signs[y] = append(r.l.signs[y], sign{x, kind, line})
}

// way is the corners of an arc's line.
func (r *router) way(a arc) []Point {
	var out []Point
	add := func(x, y int) {
		q := Point{x, y}
		if n := len(out); n > 0 && out[n-1] == q {
			return
		} else if n > 1 && (out[n-1].X == x && out[n-2].X == x || out[n-1].Y == y && out[n-2].Y == y) {
			out[n-1] = q
			return
		}
		out = append(out, q)
	}
	v := a.tail
	add(r.start(v)+1, r.place.exit(v))
	for v != a.head {
		next := r.follow(v, a.head)
		w := r.from[v]
		if w.then != nil {
			add(w.trackAt, w.exit)
			w = w.then
			add(r.from[v].trackAt, w.exit)
		}
		for _, e := range w.ends {
			if e.vertex == next {
				if w.bent() {
					add(w.trackAt, w.exit)
					add(w.trackAt, e.row)
				}
				add(r.left[r.p.rank[next]], e.row)
			}
		}
		v = next
	}
	add(r.left[r.p.rank[v]], r.place.exit(v))
	return out
}

// follow is the vertex after v on the way to a node.
func (r *router) follow(v, head int) int {
	for _, w := range r.p.next.of(v) {
		if w == head || w >= r.p.real && r.p.rank[w] < r.p.rank[head] {
			return w
		}
	}
	panic("layout: a line ends before its node")
}
