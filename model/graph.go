package model

import (
	"slices"
	"sync"
)

// graph is the dependency graph over task indexes. It depends on
// dependencies.json and on which uids exist, so snapshots that share both share one.
type graph struct {
	out      adjacency // what each task depends on: known tasks, once each, itself left out, in file order
	in       adjacency // the reverse, ascending
	missing  []int32   // per task: how many uids it depends on that name no task
	dangling []dangling
	selves   []int32 // tasks that name themselves

	apart  func(int32) bool // tasks without any edge, which may come first: not one of them is looked up; nil for none
	sorted func() []int32   // dependencies first; the members of a cycle stand together
	cycles [][]int32        // sets of tasks that all depend on each other, a self-dependency too; members ascending
	ring   []int32          // per task: index into cycles, or -1; nil when there are none
}

// dangling is a dependency of task from on a uid that names no task.
type dangling struct {
	from int32
	uid  UID
}

// finish fills everything that follows from out and selves.
func (g *graph) finish() {
	g.turnRound()
	order := g.sort()
	g.sorted = func() []int32 { return order }
	for _, v := range g.selves {
		if g.ring == nil || g.ring[v] < 0 {
			g.addCycle([]int32{v})
		}
	}
	slices.SortFunc(g.cycles, func(a, b []int32) int { return int(a[0] - b[0]) })
	for k, c := range g.cycles {
		for _, v := range c {
			g.ring[v] = int32(k)
		}
	}
}

// finishAcyclic is finish where it is known that nothing depends on itself. The order is
// made when it is asked for.
func (g *graph) finishAcyclic() {
	g.turnRound()
	g.sorted = sync.OnceValue(func() []int32 {
		own := graph{out: g.out, in: g.in, missing: g.missing} // sorting what has cycles after all would note them
		return own.sort()
	})
}

// turnRound makes in of out, unless that is done.
func (g *graph) turnRound() {
	if g.in.off == nil {
		g.in = g.out.reversed()
	}
}

// dependsOn reports whether v depends on d directly.
func (g *graph) dependsOn(v, d int32) bool {
	_, is := slices.BinarySearch(g.in.of(d), v)
	return is
}

// acyclic reports whether nothing depends on itself.
func (g *graph) acyclic() bool { return len(g.cycles) == 0 }

// reaches reports whether v depends on itself. What it depends on and what depends on it are
// looked at in turn, and the search ends with the smaller of the two: of a task that nobody
// waits for, at once.
func (g *graph) reaches(v int32) bool {
	sides := [2]side{{rows: &g.out, queue: []int32{v}}, {rows: &g.in, queue: []int32{v}}}
	for k := 0; ; k = 1 - k {
		x, other := &sides[k], &sides[1-k]
		if len(x.queue) == 0 {
			return false
		}
		u := x.queue[0]
		x.queue = x.queue[1:]
		for _, w := range x.rows.of(u) {
			if w == v || other.seen.has(w) {
				return true
			}
			if x.seen.add(w) {
				x.queue = append(x.queue, w)
			}
		}
	}
}

// side is one of the two ways in which reaches goes.
type side struct {
	rows  *adjacency
	queue []int32
	seen  bits
}

// bits is a set of indexes.
type bits []uint64

func (b bits) has(i int32) bool { return int(i/64) < len(b) && b[i/64]&(1<<(i%64)) != 0 }

// add says whether i was not in it.
func (b *bits) add(i int32) bool {
	if b.has(i) {
		return false
	}
	if n := int(i/64) + 1 - len(*b); n > 0 {
		*b = append(*b, make([]uint64, n)...)
	}
	(*b)[i/64] |= 1 << (i % 64)
	return true
}

// setOf is a list as a set, for where one list is held against another.
func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}

func (g *graph) addCycle(members []int32) {
	if g.ring == nil {
		g.ring = make([]int32, len(g.missing))
		for i := range g.ring {
			g.ring[i] = -1
		}
	}
	for _, v := range members {
		g.ring[v] = int32(len(g.cycles))
	}
	g.cycles = append(g.cycles, members)
}

// sort is Kahn's algorithm with a stack in place of the queue: a task follows close
// behind the dependency that freed it, which keeps the lines of a row-per-task drawing
// short. Ties go to the lower index. What it cannot reach is in a cycle or behind one,
// and that rest goes through Tarjan's algorithm, whose components come out dependencies
// first as well.
func (g *graph) sort() []int32 {
	n := int32(len(g.missing))
	waits := make([]int32, n)
	stack := make([]int32, 0, n)
	order := make([]int32, 0, n)
	for i := n - 1; i >= 0; i-- {
		if g.apart != nil && g.apart(i) {
			order = append(order, i)
			continue
		}
		if waits[i] = g.out.degree(i); waits[i] == 0 {
			stack = append(stack, i)
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		order = append(order, v)
		next := g.in.of(v)
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
func (g *graph) sortRest(order, waits []int32) []int32 {
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
			if row := g.out.of(v); int(f.edge) < len(row) {
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
func (g *graph) closeComponent(stack, order []int32, v int32, onStack []bool) (rest, longer []int32) {
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

// inCycle reports whether v depends on itself, by whatever way.
func (g *graph) inCycle(v int32) bool { return g.ring != nil && g.ring[v] >= 0 }

// cycleThrough is a shortest way from v back to v along dependencies, v first and not
// repeated; nil when there is none. [v] is a task that depends on itself.
func (g *graph) cycleThrough(v int32) []int32 {
	if !g.inCycle(v) {
		return nil
	}
	if slices.Contains(g.selves, v) {
		return []int32{v}
	}
	return g.ringThrough(v)
}

// ringThrough is cycleThrough by way of other tasks. It looks no further than the set of
// tasks that v is entangled with.
func (g *graph) ringThrough(v int32) []int32 {
	from := map[int32]int32{v: v}
	queue := []int32{v}
	for k := 0; k < len(queue); k++ {
		u := queue[k]
		for _, w := range g.out.of(u) {
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

// components numbers the weakly connected parts: tasks with the same number are linked
// by dependencies, whichever way they point. Numbers start at 0 and follow the lowest
// index of each part.
func (g *graph) components() []int32 {
	n := len(g.missing)
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
	for i := range int32(n) {
		for _, w := range g.out.of(i) {
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
	for i := range int32(n) {
		if r := find(i); r == i {
			id[i] = count
			count++
		} else {
			id[i] = id[r]
		}
	}
	return id
}

// chains is for each task the number of open tasks on the longest chain of open
// dependents that starts with it, itself included; 0 for a task that is not open. Inside
// a cycle, which has no longest chain, only edges that go forward in order count: the
// others lead to tasks whose length is still 0 when it is asked for.
func (g *graph) chains(open func(int32) bool) []int32 {
	n := len(g.missing)
	length := make([]int32, n)
	order := g.sorted()
	for k := n - 1; k >= 0; k-- {
		v := order[k]
		if !open(v) {
			continue
		}
		best := int32(0)
		for _, d := range g.in.of(v) {
			best = max(best, length[d])
		}
		length[v] = best + 1
	}
	return length
}

// DependsOn are the tasks that task i depends on, in the order of its file. A uid that
// names no task, a repeated one and its own are left out; At(i).DependsOn has them. Do
// not modify it.
func (s *Snapshot) DependsOn(i int) []int32 { return s.graph.out.of(int32(i)) }

// Dependents are the tasks that depend on task i, in uid order. Do not modify it.
func (s *Snapshot) Dependents(i int) []int32 { return s.graph.in.of(int32(i)) }

// DependentUIDs are the uids of the tasks that depend on uid. uid need not name a task:
// the dependents of one that is missing are found as well.
func (s *Snapshot) DependentUIDs(uid UID) []UID {
	if i, ok := s.Index(uid); ok {
		return s.uids(s.Dependents(i))
	}
	var out []UID
	for _, d := range s.graph.dangling {
		if d.uid == uid {
			out = append(out, s.tasks.uid(d.from))
		}
	}
	return out
}

// Cycles are the sets of tasks that all depend on each other, directly or through the
// rest of the set; a task that depends on itself is a set of one. Members ascend, and
// sets go by their lowest member. Do not modify it.
func (s *Snapshot) Cycles() [][]int32 { return s.graph.cycles }

// InCycle reports whether task i depends on itself, directly or through others.
func (s *Snapshot) InCycle(i int) bool { return s.graph.inCycle(int32(i)) }

// SameCycle reports whether two tasks depend on each other, directly or through others.
func (s *Snapshot) SameCycle(i, k int) bool {
	ring := s.graph.ring
	return ring != nil && ring[i] >= 0 && ring[i] == ring[k]
}

// CycleThrough spells out a shortest dependency cycle through task i: i first, each
// depends on the next, and the last on i. nil when it is in none.
func (s *Snapshot) CycleThrough(i int) []int32 { return s.graph.cycleThrough(int32(i)) }

// Order is every task with its dependencies before it, the same for the same files. The
// members of a cycle stand together, in uid order. Do not modify it.
func (s *Snapshot) Order() []int32 { return s.graph.sorted() }

// Components is a number for each task: the same for tasks that dependencies link,
// whichever way they point. Do not modify it.
func (s *Snapshot) Components() []int32 { return s.components() }
