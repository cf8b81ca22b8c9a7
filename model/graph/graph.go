package graph

import (
	"slices"
	"sync"
)

// Graph is a graph over numbers: what each depends on. Out and Selves are filled by its maker, and the rest follows
// from them by Finish.
type Graph struct {
	Out    Rows    // what each depends on, once each, itself left out
	In     Rows    // the reverse, ascending
	Selves []int32 // those that depend on themselves

	Apart  func(int32) bool // those without any edge, which may come first: not one of them is looked up; nil for none
	Cycles [][]int32        // sets that all depend on each other, a self-dependency too; members ascending
	ring   []int32          // of each: index into Cycles, or -1; nil when there are none
	order  func() []int32
}

// Order is all of them, dependencies first; the members of a cycle stand together.
func (g *Graph) Order() []int32 { return g.order() }

// Finish fills everything that follows from Out and Selves.
func (g *Graph) Finish() {
	g.TurnRound()
	order := g.sort()
	g.order = func() []int32 { return order }
	for _, v := range g.Selves {
		if g.ring == nil || g.ring[v] < 0 {
			g.addCycle([]int32{v})
		}
	}
	slices.SortFunc(g.Cycles, func(a, b []int32) int { return int(a[0] - b[0]) })
	for k, c := range g.Cycles {
		for _, v := range c {
			g.ring[v] = int32(k)
		}
	}
}

// FinishAcyclic is Finish where it is known that nothing depends on itself. The order is
// made when it is asked for.
func (g *Graph) FinishAcyclic() {
	g.TurnRound()
	g.order = sync.OnceValue(func() []int32 {
		own := Graph{Out: g.Out, In: g.In} // sorting what has cycles after all would note them
		return own.sort()
	})
}

// TurnRound makes In of Out, unless that is done.
func (g *Graph) TurnRound() {
	if g.In.Off == nil {
		g.In = g.Out.Reversed()
	}
}

// DependsOn reports whether v depends on d directly.
func (g *Graph) DependsOn(v, d int32) bool {
	_, is := slices.BinarySearch(g.In.Of(d), v)
	return is
}

// Acyclic reports whether nothing depends on itself.
func (g *Graph) Acyclic() bool { return len(g.Cycles) == 0 }

// Reaches reports whether v depends on itself. What it depends on and what depends on it are
// looked at in turn, and the search ends with the smaller of the two: of a task that nobody
// waits for, at once.
func (g *Graph) Reaches(v int32) bool {
	sides := [2]side{{rows: &g.Out, queue: []int32{v}}, {rows: &g.In, queue: []int32{v}}}
	for k := 0; ; k = 1 - k {
		x, other := &sides[k], &sides[1-k]
		if len(x.queue) == 0 {
			return false
		}
		u := x.queue[0]
		x.queue = x.queue[1:]
		for _, w := range x.rows.Of(u) {
			if w == v || other.seen.Has(w) {
				return true
			}
			if x.seen.Add(w) {
				x.queue = append(x.queue, w)
			}
		}
	}
}

// side is one of the two ways in which reaches goes.
type side struct {
	rows  *Rows
	queue []int32
	seen  Set
}

// Set is a set of indexes.
type Set []uint64

func (b Set) Has(i int32) bool { return int(i/64) < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// add says whether i was not in it.
func (b *Set) Add(i int32) bool {
	if b.Has(i) {
		return false
	}
	if n := int(i/64) + 1 - len(*b); n > 0 {
		*b = append(*b, make([]uint64, n)...)
	}
	(*b)[i/64] |= 1 << (i % 64)
	return true
}

func (g *Graph) addCycle(members []int32) {
	if g.ring == nil {
		g.ring = make([]int32, g.Out.Len())
		for i := range g.ring {
			g.ring[i] = -1
		}
	}
	for _, v := range members {
		g.ring[v] = int32(len(g.Cycles))
	}
	g.Cycles = append(g.Cycles, members)
}

// sort is Kahn's algorithm with a stack in place of the queue: a task follows close
// behind the dependency that freed it, which keeps the lines of a row-per-task drawing
// short. Ties go to the lower index. What it cannot reach is in a cycle or behind one,
// and that rest goes through Tarjan's algorithm, whose components come out dependencies
// first as well.
func (g *Graph) sort() []int32 {
	n := g.Out.Len()
	waits := make([]int32, n)
	stack := make([]int32, 0, n)
	order := make([]int32, 0, n)
	for i := n - 1; i >= 0; i-- {
		if g.Apart != nil && g.Apart(i) {
			order = append(order, i)
			continue
		}
		if waits[i] = g.Out.Degree(i); waits[i] == 0 {
			stack = append(stack, i)
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, v)
		next := g.In.Of(v)
		for k := len(next) - 1; k >= 0; k-- {
			d := next[k]
			if waits[d]--; waits[d] == 0 {
				stack = append(stack, d)
			}
		}
	}
	if len(order) < int(n) {
		order = g.sortRest(order, waits)
	}
	return order
}

// frame is one level of Tarjan's depth-first search, kept by hand: a chain of 100k
// dependencies must not need 100k stack frames.
type frame struct{ v, edge int32 }

// sortRest appends to order every task with waits > 0, component by component, and
// records the components that are cycles.
func (g *Graph) sortRest(order, waits []int32) []int32 {
	n := int32(len(waits))
	num := make([]int32, n) // 0: not seen; else 1 + order of discovery
	low := make([]int32, n)
	onStack := make([]bool, n)
	var stack []int32
	var calls []frame
	seen := int32(0)
	enter := func(v int32) {
		seen++
		num[v], low[v], onStack[v] = seen, seen, true
		stack = append(stack, v)
		calls = append(calls, frame{v: v})
	}
	for root := range n {
		if waits[root] == 0 || num[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			v := f.v
			if row := g.Out.Of(v); int(f.edge) < len(row) {
				w := row[f.edge]
				f.edge++
				switch {
				case waits[w] == 0: // already in order
				case num[w] == 0:
					enter(w)
				case onStack[w]:
					low[v] = min(low[v], num[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				up := calls[len(calls)-1].v
				low[up] = min(low[up], low[v])
			}
			if low[v] == num[v] {
				stack, order = g.closeComponent(stack, order, v, onStack)
			}
		}
	}
	return order
}

// closeComponent takes the component whose root is v off the stack and puts it into order.
func (g *Graph) closeComponent(stack, order []int32, v int32, onStack []bool) (rest, longer []int32) {
	at := len(stack) - 1
	for stack[at] != v {
		at--
	}
	members := slices.Clone(stack[at:])
	slices.Sort(members)
	for _, w := range members {
		onStack[w] = false
	}
	if len(members) > 1 {
		g.addCycle(members)
	}
	return stack[:at], append(order, members...)
}

// CycleIndex is the index in Cycles of the set that v is in; -1 for none.
func (g *Graph) CycleIndex(v int32) int32 {
	if g.ring == nil {
		return -1
	}
	return g.ring[v]
}

// InCycle reports whether v depends on itself, by whatever way.
func (g *Graph) InCycle(v int32) bool { return g.CycleIndex(v) >= 0 }

// CycleThrough is a shortest way from v back to v along dependencies, v first and not
// repeated; nil when there is none. [v] is a task that depends on itself.
func (g *Graph) CycleThrough(v int32) []int32 {
	if !g.InCycle(v) {
		return nil
	}
	if slices.Contains(g.Selves, v) {
		return []int32{v}
	}
	return g.RingThrough(v)
}

// RingThrough is cycleThrough by way of other tasks. It looks no further than the set of
// tasks that v is entangled with.
func (g *Graph) RingThrough(v int32) []int32 {
	from := map[int32]int32{v: v}
	queue := []int32{v}
	for k := 0; k < len(queue); k++ {
		u := queue[k]
		for _, w := range g.Out.Of(u) {
			if w == v {
				var back []int32
				for ; u != v; u = from[u] {
					back = append(back, u)
				}
				back = append(back, v)
				slices.Reverse(back)
				return back
			}
			if _, ok := from[w]; !ok && g.ring[w] == g.ring[v] {
				from[w] = u
				queue = append(queue, w)
			}
		}
	}
	return nil
}

// Components numbers the weakly connected parts: tasks with the same number are linked
// by dependencies, whichever way they point. Numbers start at 0 and follow the lowest
// index of each part.
func (g *Graph) Components() []int32 {
	n := g.Out.Len()
	up := make([]int32, n)
	for i := range up {
		up[i] = int32(i)
	}
	find := func(v int32) int32 {
		for up[v] != v {
			up[v] = up[up[v]]
			v = up[v]
		}
		return v
	}
	for i := range n {
		for _, w := range g.Out.Of(i) {
			a, b := find(i), find(w)
			// The lower index is the root, so that one pass in order can number them.
			if a < b {
				up[b] = a
			} else {
				up[a] = b
			}
		}
	}
	id := make([]int32, n)
	count := int32(0)
	for i := range n {
		if r := find(i); r == i {
			id[i] = count
			count++
		} else {
			id[i] = id[r]
		}
	}
	return id
}
