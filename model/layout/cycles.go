package layout

import "slices"

// reachBudget is how many edges are followed at most to see which turned edges need not be so.
const reachBudget = 2_000_000

// breaker finds which edges are to be turned round. An edge has a direction, at first its own, or the
// other when an earlier layout had turned it. In these directions some edges close cycles; those
// are the ones to be turned again.
type breaker struct {
	c      *canonical
	flip   []bool // by pair: from To to From, at first
	closes []bool // by pair: turned again
}

// breakCycles marks edges as Turned so that what is drawn has no cycle. What the memory has as turned
// stays so while it is in a cycle, mostly.
func (c *canonical) breakCycles(mem *memory) {
	b := breaker{c: c, flip: make([]bool, len(c.pairs)), closes: make([]bool, len(c.pairs))}
	out, in := b.rows()
	comp, count := Components(c.n, out.of)
	if count == c.n {
		return
	}
	if mem != nil && len(mem.turned) > 0 {
		for k, p := range c.pairs {
			b.flip[k] = comp[p.from] == comp[p.to] && mem.turned[[2]string{c.id[p.from], c.id[p.to]}]
		}
		out, in = b.rows()
		comp, count = Components(c.n, out.of)
	}
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
	for k := range c.pairs {
		from, to := b.ends(k)
		b.closes[k] = comp[from] == comp[to] && at[from] > at[to]
	}
	b.turnBack()
	for k, p := range c.pairs {
		if b.flip[k] != b.closes[k] {
			c.state[p.edge] = Turned
		}
	}
}

// ends is the direction of an edge at first.
func (b *breaker) ends(k int) (from, to int) {
	if p := b.c.pairs[k]; b.flip[k] {
		return p.to, p.from
	}
	return b.c.pairs[k].from, b.c.pairs[k].to
}

// rows is the edges that close no cycle, forwards and backwards.
func (b *breaker) rows() (out, in rows) {
	n, m := b.c.n, len(b.c.pairs)
	out = newRows(n, m, func(k int) (int, int, bool) {
		from, to := b.ends(k)
		return from, to, !b.closes[k]
	})
	in = newRows(n, m, func(k int) (int, int, bool) {
		from, to := b.ends(k)
		return to, from, !b.closes[k]
	})
	return out, in
}

// turnBack leaves alone what closes no cycle anymore. Once nothing is left to leave alone, turning
// the rest round makes no new cycle; half way it might, so that it is done wholly or not at all.
func (b *breaker) turnBack() {
	all := slices.Clone(b.closes)
	budget := reachBudget
	out, _ := b.rows()
	seen := make([]int, b.c.n)
	for k := range b.closes {
		if !b.closes[k] {
			continue
		}
		from, to := b.ends(k)
		if b.reaches(&out, to, from, seen, k+1, &budget) {
			continue
		}
		if budget < 0 {
			b.closes = all
			return
		}
		b.closes[k] = false
		out, _ = b.rows()
	}
}

// reaches says whether there is a way from one node to another.
func (b *breaker) reaches(out *rows, from, to int, seen []int, mark int, budget *int) bool {
	stack := []int{from}
	seen[from] = mark
	for len(stack) > 0 && *budget >= 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*budget -= out.degree(v)
		for _, w := range out.of(v) {
			if w == to {
				return true
			}
			if seen[w] != mark {
				seen[w] = mark
				stack = append(stack, w)
			}
		}
	}
	return false
}

// Components numbers the strongly connected components of a graph of n nodes (Tarjan 1972, without
// recursion); out is where the edges of a node lead. Two nodes have one number exactly when each can be
// reached from the other. Every component has a lower number than those that lead to it.
func Components[N int | int32](n int, out func(v N) []N) (comp []N, count int) {
	index, low, next := make([]N, n), make([]N, n), make([]N, n)
	comp = make([]N, n)
	for v := range comp {
		comp[v] = -1
	}
	var path, open []N // the walk, and the nodes without a component yet
	clock := N(0)
	for root := N(0); int(root) < n; root++ {
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
			if row := out(v); int(next[v]) < len(row) {
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
				comp[w] = N(count)
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
