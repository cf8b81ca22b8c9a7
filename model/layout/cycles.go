package layout

import "slices"

// reachBudget is how many edges are followed at most to see which turned edges need not be so.
const reachBudget = 2_000_000

// breakCycles marks edges as Turned so that the others have no cycle. None of them could be left as
// it was, unless that would take too long to find out.
func (c *canonical) breakCycles(mem *memory) {
	if mem != nil {
		for _, p := range c.pairs {
			if mem.turned[[2]string{c.id[p.from], c.id[p.to]}] {
				c.state[p.edge] = Turned
			}
		}
	}
	out, in := c.rowsOf(Drawn)
	comp, count := components(c.n, &out)
	if count < c.n {
		members := make([][]int, count)
		for v, k := range comp {
			members[k] = append(members[k], v)
		}
		at := make([]int, c.n)
		for _, m := range members {
			if len(m) > 1 {
				for i, v := range fewBack(m, &out, &in) {
					at[v] = i
				}
			}
		}
		for _, p := range c.pairs {
			if comp[p.from] == comp[p.to] && at[p.from] > at[p.to] {
				c.state[p.edge] = Turned
			}
		}
	}
	c.turnBack()
}

// turnBack makes turned edges plain again that close no cycle.
func (c *canonical) turnBack() {
	budget := reachBudget
	var out rows
	stale := true
	seen := make([]int, c.n)
	for k, p := range c.pairs {
		if c.state[p.edge] != Turned || budget <= 0 {
			continue
		}
		if stale {
			out, _ = c.rowsOf(Drawn)
			stale = false
		}
		found := false
		queue := []int{p.to}
		seen[p.to] = k + 1
		for len(queue) > 0 && !found {
			v := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, w := range out.of(v) {
				budget--
				if w == p.from {
					found = true
					break
				}
				if seen[w] != k+1 {
					seen[w] = k + 1
					queue = append(queue, w)
				}
			}
		}
		if !found {
			c.state[p.edge] = Drawn
			stale = true
		}
	}
}

// components numbers the strongly connected components (Tarjan 1972, without recursion).
func components(n int, out *rows) (comp []int, count int) {
	index, low, next := make([]int, n), make([]int, n), make([]int, n)
	comp = make([]int, n)
	for v := range comp {
		comp[v] = -1
	}
	var path, open []int // the walk, and the nodes without a component yet
	clock := 0
	for root := range n {
		if index[root] != 0 {
			continue
		}
		path = append(path[:0], root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				clock++
				index[v], low[v] = clock, clock
				open = append(open, v)
			}
			if row := out.of(v); next[v] < len(row) {
				w := row[next[v]]
				next[v]++
				if index[w] == 0 {
					path = append(path, w)
				} else if comp[w] < 0 {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := path[len(path)-1]
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			for {
				w := open[len(open)-1]
				open = open[:len(open)-1]
				comp[w] = count
				if w == v {
					break
				}
			}
			count++
		}
	}
	return comp, count
}

// fewBack orders the members of one component so that few edges run backwards: sinks go to the
// end, sources to the beginning, and else the node with the most edges out compared with in
// (Eades, Lin, Smyth 1993).
func fewBack(members []int, out, in *rows) []int {
	left := map[int]bool{}
	for _, v := range members {
		left[v] = true
	}
	degree := func(r *rows, v int) int {
		d := 0
		for _, w := range r.of(v) {
			if left[w] {
				d++
			}
		}
		return d
	}
	outs, ins := map[int]int{}, map[int]int{}
	for _, v := range members {
		outs[v], ins[v] = degree(out, v), degree(in, v)
	}
	var head, tail []int
	rest := slices.Clone(members)
	take := func(v int) {
		delete(left, v)
		for _, w := range out.of(v) {
			if left[w] {
				ins[w]--
			}
		}
		for _, w := range in.of(v) {
			if left[w] {
				outs[w]--
			}
		}
	}
	for len(left) > 0 {
		best, sink := -1, false
		keep := rest[:0]
		for _, v := range rest {
			if !left[v] {
				continue
			}
			keep = append(keep, v)
			switch {
			case sink || best >= 0 && ins[best] == 0:
			case outs[v] == 0:
				best, sink = v, true
			case best < 0 || ins[v] == 0 || outs[v]-ins[v] > outs[best]-ins[best]:
				best = v
			}
		}
		rest = keep
		take(best)
		if sink {
			tail = append(tail, best)
		} else {
			head = append(head, best)
		}
	}
	slices.Reverse(tail)
	return append(head, tail...)
}
