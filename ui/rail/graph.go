package rail

import "vespe/model/layout"

// graph is the dependency graph of the tasks that are drawn, as plain integers. A node is
// a task that has at least one edge; an edge runs from a dependency to its dependent, so
// that time runs down the screen.
type graph struct {
	n     int
	start []int32 // n+1: the edges of node v are to[start[v]:start[v+1]]
	to    []int32
}

func (g *graph) out(v int32) []int32 { return g.to[g.start[v]:g.start[v+1]] }

// components numbers the strongly connected components of g.
func (g *graph) components() (comp []int32, count int) { return layout.Components(g.n, g.out) }

// order is the order of the rows: topological, dependencies above their dependents, and
// depth first (the last task that became free comes next), which keeps chains together
// and lanes short. Ties fall by node number. The nodes of a cycle lie together, in an
// order with few edges that run backwards.
func (g *graph) order() []int32 {
	comp, count := g.components()
	members := group(comp, count)
	waiting := make([]int32, count) // edges that enter a component from outside
	for v := range int32(g.n) {
		for _, w := range g.out(v) {
			if comp[w] != comp[v] {
				waiting[comp[w]]++
			}
		}
	}
	var free []int32 // a stack of components
	for v := int32(g.n) - 1; v >= 0; v-- {
		if c := comp[v]; waiting[c] == 0 && members.first(c) == v {
			free = append(free, c)
		}
	}
	order := make([]int32, 0, g.n)
	for len(free) > 0 {
		c := free[len(free)-1]
		free = free[:len(free)-1]
		from := len(order)
		if m := members.of(c); len(m) == 1 {
			order = append(order, m[0])
		} else {
			order = g.appendCycle(order, comp, m[0])
		}
		for i := len(order) - 1; i >= from; i-- {
			edges := g.out(order[i])
			for k := len(edges) - 1; k >= 0; k-- {
				d := comp[edges[k]]
				if d == c {
					continue
				}
				if waiting[d]--; waiting[d] == 0 {
					free = append(free, d)
				}
			}
		}
	}
	return order
}

// appendCycle appends the component of root in reverse postorder of a walk from root: an
// edge runs backwards in it only when the walk met it as a back edge.
func (g *graph) appendCycle(order, comp []int32, root int32) []int32 {
	from := len(order)
	seen := map[int32]int32{root: g.start[root]} // node → its next edge
	path := []int32{root}
	for len(path) > 0 {
		v := path[len(path)-1]
		e := seen[v]
		if e == g.start[v+1] {
			path = path[:len(path)-1]
			order = append(order, v)
			continue
		}
		seen[v] = e + 1
		w := g.to[e]
		if _, ok := seen[w]; !ok && comp[w] == comp[v] {
			seen[w] = g.start[w]
			path = append(path, w)
		}
	}
	for i, j := from, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// groups lists nodes by the number of their group, each group in ascending order.
type groups struct{ start, node []int32 }

func group(of []int32, count int) groups {
	g := groups{start: make([]int32, count+1), node: make([]int32, len(of))}
	for _, c := range of {
		g.start[c+1]++
	}
	for c := range count {
		g.start[c+1] += g.start[c]
	}
	at := append([]int32(nil), g.start[:count]...)
	for v, c := range of {
		g.node[at[c]] = int32(v)
		at[c]++
	}
	return g
}

func (g groups) of(c int32) []int32  { return g.node[g.start[c]:g.start[c+1]] }
func (g groups) first(c int32) int32 { return g.node[g.start[c]] }
