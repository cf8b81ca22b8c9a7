package snapshot

import "slices"

// reacher answers whether tasks wait for others, also through others. The first few questions are
// answered by walks. For more of them it labels the graph: two depth-first walks number all tasks as they
// leave them, and each task knows the lowest number of all that it waits for. Whoever waits for a task
// has its numbers within its own, in both walks, so that most ways are known to lead nowhere; and what a
// walk came to from a task, that one waits for (GRAIL: Yıldırım, Chaoji and Zaki 2010).
type reacher struct {
	s      *Snapshot
	asked  int
	walks  [2]labels // none in a graph with cycles
	place  []int32   // per task: where it stands in an order with dependencies first; those of one cycle together
	seen   []int32   // per task: the last question that came to it
	number int32     // of the question
	stack  []int32
}

// labels are the numbers of one walk.
type labels struct {
	enter []int32 // the first number below a task, or its own
	rank  []int32 // the number of the task
	low   []int32 // the lowest number of all that it waits for
}

// fewQuestions are so few that labels do not pay.
const fewQuestions = 32

// behind reports whether task i waits for task j.
func (r *reacher) behind(i, j int32) bool {
	if r.asked++; r.asked == fewQuestions {
		r.prepare()
	}
	if r.seen == nil {
		r.seen = make([]int32, r.s.tasks.n)
	}
	r.number++
	r.stack = append(r.stack[:0], i)
	for len(r.stack) > 0 {
		v := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if v != j {
			if r.leads(v, j) {
				return true
			}
			if !r.mayLead(v, j) {
				continue
			}
		}
		for _, d := range r.s.graph.Out.Of(v) {
			if d == j {
				return true
			}
			if r.seen[d] != r.number {
				r.seen[d] = r.number
				r.stack = append(r.stack, d)
			}
		}
	}
	return false
}

// leads reports what the labels know for certain: that task v waits for task j, another one.
func (r *reacher) leads(v, j int32) bool {
	for k := range r.walks {
		if w := &r.walks[k]; w.rank != nil && w.enter[v] <= w.rank[j] && w.rank[j] < w.rank[v] {
			return true
		}
	}
	return false
}

// mayLead reports that nothing is known against it.
func (r *reacher) mayLead(v, j int32) bool {
	if r.place != nil && r.place[v] < r.place[j] {
		return false
	}
	for k := range r.walks {
		if w := &r.walks[k]; w.rank != nil && (w.rank[j] > w.rank[v] || w.low[j] < w.low[v]) {
			return false
		}
	}
	return true
}

// prepare makes places and labels.
func (r *reacher) prepare() {
	r.places()
	if r.s.graph.Acyclic() {
		for k := range r.walks {
			r.walks[k] = r.walk(k == 1)
		}
	}
}

func (r *reacher) places() {
	if r.place != nil {
		return
	}
	g := r.s.graph
	r.place = make([]int32, r.s.tasks.n)
	at, ring := int32(0), int32(-1)
	for _, v := range g.Order() {
		own := g.CycleIndex(v)
		if own < 0 || own != ring {
			at, ring = at+1, own
		}
		r.place[v] = at
	}
}

// visit is a task on the way of walk, and how many of the tasks that it waits for are done.
type visit struct{ v, edge int32 }

// walk goes through all tasks, those that wait last first, depth-first along what they wait for.
func (r *reacher) walk(backwards bool) labels {
	n := r.s.tasks.n
	w := labels{make([]int32, n), make([]int32, n), make([]int32, n)}
	next := int32(1) // 0: not left yet
	begun := make([]bool, n)
	var way []visit
	for _, root := range slices.Backward(r.s.graph.Order()) {
		if begun[root] {
			continue
		}
		begun[root], w.enter[root] = true, next
		for way = append(way[:0], visit{v: root}); len(way) > 0; {
			f := &way[len(way)-1]
			row := r.s.graph.Out.Of(f.v)
			if int(f.edge) < len(row) {
				d := row[f.edge]
				if backwards {
					d = row[len(row)-1-int(f.edge)]
				}
				if f.edge++; !begun[d] {
					begun[d], w.enter[d] = true, next
					way = append(way, visit{v: d})
				}
				continue
			}
			v := f.v
			w.rank[v], w.low[v] = next, next
			next++
			for _, d := range row {
				w.low[v] = min(w.low[v], w.low[d])
			}
			way = way[:len(way)-1]
		}
	}
	return w
}

// inTurn says whether of some tasks each waits for the one before it, in whatever order: then it is that
// of their places.
func (r *reacher) inTurn(tasks []int32) bool {
	r.places()
	order := slices.Clone(tasks)
	slices.SortStableFunc(order, func(a, b int32) int { return int(r.place[a] - r.place[b]) })
	for k := 1; k < len(order); k++ {
		if !r.behind(order[k], order[k-1]) {
			return false
		}
	}
	return true
}
