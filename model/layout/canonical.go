package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// canonical is a graph whose nodes have numbers in the order of their identities, and whose edges
// are sorted by them, so that nothing that follows depends on the order they came in.
type canonical struct {
	n     int
	node  []int    // by number: the index in the Graph
	id    []string // by number
	width []int    // by number
	pairs []pair   // no loops, none twice, sorted
	state []State  // by edge of the Graph
}

// pair is an edge between two numbers.
type pair struct {
	from, to int
	edge     int // the first edge of the Graph that says so
}

// arc is a line to be drawn, from a column to one further right. It stands for an edge, or a turned
// one, or one each way.
type arc struct {
	tail, head    int
	plain, turned int // edges of the Graph, or -1
}

func newCanonical(g Graph) *canonical {
	c := &canonical{n: len(g.Nodes), state: make([]State, len(g.Edges))}
	c.node = make([]int, c.n)
	for i := range c.node {
		c.node[i] = i
	}
	slices.SortStableFunc(c.node, func(a, b int) int { return cmp.Compare(g.Nodes[a].ID, g.Nodes[b].ID) })
	number := make([]int, c.n)
	for k, i := range c.node {
		number[i] = k
		c.id = append(c.id, g.Nodes[i].ID)
		c.width = append(c.width, max(1, g.Nodes[i].Width))
	}
	for e, x := range g.Edges {
		if x.From < 0 || x.To < 0 || x.From >= c.n || x.To >= c.n {
			panic(fmt.Sprintf("layout: edge %d runs from %d to %d in a graph of %d nodes", e, x.From, x.To, c.n))
		}
		if x.From == x.To {
			c.state[e] = Loop
			continue
		}
		c.pairs = append(c.pairs, pair{number[x.From], number[x.To], e})
	}
	slices.SortFunc(c.pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.edge, b.edge))
	})
	kept := c.pairs[:0]
	for _, p := range c.pairs {
		if k := len(kept) - 1; k >= 0 && kept[k].from == p.from && kept[k].to == p.to {
			c.state[p.edge] = Repeated
			continue
		}
		kept = append(kept, p)
	}
	c.pairs = kept
	return c
}

// arcs is what is to be drawn: the pairs that were not left out, the turned ones round, sorted.
func (c *canonical) arcs() []arc {
	var all []arc
	for _, p := range c.pairs {
		switch c.state[p.edge] {
		case Drawn:
			all = append(all, arc{p.from, p.to, p.edge, -1})
		case Turned:
			all = append(all, arc{p.to, p.from, -1, p.edge})
		}
	}
	slices.SortStableFunc(all, compareArcs)
	out := all[:0]
	for _, a := range all {
		if k := len(out) - 1; k >= 0 && out[k].tail == a.tail && out[k].head == a.head {
			out[k].plain, out[k].turned = max(out[k].plain, a.plain), max(out[k].turned, a.turned)
			continue
		}
		out = append(out, a)
	}
	return out
}

// rows is a set of edges in compressed sparse rows: what follows v is to[off[v]:off[v+1]], and
// via says by which edge of the list that the rows were made of.
type rows struct{ off, to, via []int }

// newRows makes the rows of n nodes from m edges; ends gives the two nodes of one, or ok false
// when it is none. What follows a node is in the order of the edges.
func newRows(n, m int, ends func(k int) (from, to int, ok bool)) rows {
	r := rows{off: make([]int, n+1)}
	for k := range m {
		if from, _, ok := ends(k); ok {
			r.off[from+1]++
		}
	}
	for v := range n {
		r.off[v+1] += r.off[v]
	}
	r.to, r.via = make([]int, r.off[n]), make([]int, r.off[n])
	fill := slices.Clone(r.off[:n])
	for k := range m {
		if from, to, ok := ends(k); ok {
			r.to[fill[from]], r.via[fill[from]] = to, k
			fill[from]++
		}
	}
	return r
}

func (r *rows) of(v int) []int    { return r.to[r.off[v]:r.off[v+1]] }
func (r *rows) edges(v int) []int { return r.via[r.off[v]:r.off[v+1]] }
func (r *rows) degree(v int) int  { return r.off[v+1] - r.off[v] }

// rowsOf is the pairs of one state as rows.
func (c *canonical) rowsOf(s State) rows {
	return newRows(c.n, len(c.pairs), func(k int) (int, int, bool) {
		p := c.pairs[k]
		return p.from, p.to, c.state[p.edge] == s
	})
}

// topological is the nodes with those before that an edge comes from; false when there is a cycle.
// Of those that are free, the one with the lowest number comes first found.
func topological(n int, out *rows) ([]int, bool) {
	waits := make([]int, n)
	for _, w := range out.to {
		waits[w]++
	}
	order := make([]int, 0, n)
	for v := range n {
		if waits[v] == 0 {
			order = append(order, v)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, w := range out.of(order[k]) {
			if waits[w]--; waits[w] == 0 {
				order = append(order, w)
			}
		}
	}
	return order, len(order) == n
}
