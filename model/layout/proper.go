package layout

import "slices"

// proper is a graph whose lines run from one column to the next only: a line over several columns
// has a vertex in each between, the bends of one source are shared. Vertices below real are the
// nodes by number, the others bends.
type proper struct {
	real   int
	arcs   []arc
	rank   []int   // by vertex
	source []int   // by vertex: the node that its lines come from, a node itself
	layers [][]int // vertices from top to bottom
	pos    []int   // by vertex: its place in its layer
	prev   rows    // what each vertex is linked with in the column before
	next   rows    // and in the one behind
	fan    [][]int // by node: its arcs, those that reach farthest first
	part   []int   // by vertex: the connected component
	parts  int
}

// link runs from a vertex to one in the next column.
type link struct{ from, to int }

// newProper bends the lines of arcs between the given columns. Not shared, every arc has its own bends,
// as is usual where crossings are compared.
func newProper(c *canonical, arcs []arc, rank []int, shared bool) *proper {
	p := &proper{real: c.n, arcs: arcs, rank: rank, fan: make([][]int, c.n)}
	for k, a := range arcs {
		p.fan[a.tail] = append(p.fan[a.tail], k)
	}
	for v := range c.n {
		p.source = append(p.source, v)
	}
	var all []link
	bend := func(after int) int {
		v := len(p.rank)
		p.rank, p.source = append(p.rank, p.rank[after]+1), append(p.source, p.source[after])
		all = append(all, link{after, v})
		return v
	}
	for v, fan := range p.fan {
		slices.SortStableFunc(fan, func(a, b int) int { return rank[arcs[b].head] - rank[arcs[a].head] })
		at := v
		for left := len(fan); left > 0; left-- {
			// The arcs that reach farther go on together.
			head := arcs[fan[left-1]].head
			if !shared {
				at = v
			}
			for p.rank[at]+1 < rank[head] {
				at = bend(at)
			}
			all = append(all, link{at, head})
		}
	}
	n := len(p.rank)
	p.pos = make([]int, n)
	p.next = newRows(n, len(all), func(k int) (int, int, bool) { return all[k].from, all[k].to, true })
	p.prev = newRows(n, len(all), func(k int) (int, int, bool) { return all[k].to, all[k].from, true })
	if n > 0 {
		p.layers = make([][]int, slices.Max(p.rank)+1)
	}
	p.part = make([]int, n)
	for k, part := range parts(&p.next, &p.prev) {
		for _, v := range part {
			p.part[v] = k
		}
		p.parts++
	}
	return p
}

// along is the arcs that run through a vertex and on to the right.
func (p *proper) along(v int) []int {
	fan := p.fan[p.source[v]]
	far, _ := slices.BinarySearchFunc(fan, p.rank[v], func(k, r int) int {
		if p.rank[p.arcs[k].head] > r {
			return -1
		}
		return 1
	})
	return fan[:far]
}

func (p *proper) index() {
	for _, layer := range p.layers {
		for i, v := range layer {
			p.pos[v] = i
		}
	}
}

// crossings is how many pairs of links cross, summed over the columns.
func (p *proper) crossings() int {
	sum := 0
	for r := range len(p.layers) - 1 {
		sum += p.crossingsAfter(r)
	}
	return sum
}

// crossingsAfter counts with a tree of partial sums (Barth, Jünger, Mutzel 2002).
func (p *proper) crossingsAfter(r int) int {
	size := len(p.layers[r+1])
	tree := make([]int, size+1)
	sum, total := 0, 0
	for _, v := range p.layers[r] {
		for _, w := range p.next.of(v) {
			upTo := 0
			for k := p.pos[w] + 1; k > 0; k -= k & -k {
				upTo += tree[k]
			}
			sum += total - upTo
		}
		for _, w := range p.next.of(v) {
			for k := p.pos[w] + 1; k <= size; k += k & -k {
				tree[k]++
			}
			total++
		}
	}
	return sum
}

// memory is what a later layout may want to know of one.
type memory struct {
	spot   map[string]spot    // by identity
	bend   map[string][]spot  // of the bends of a source, by its identity
	turned map[[2]string]bool // by the identities of its ends
}

// spot is where something was: its column, and how far down in it, from 0 to 1.
type spot struct {
	col  int
	down float64
}

func (p *proper) memory(c *canonical) memory {
	m := memory{spot: map[string]spot{}, bend: map[string][]spot{}, turned: map[[2]string]bool{}}
	for r, layer := range p.layers {
		for i, v := range layer {
			s := spot{r, (float64(i) + 0.5) / float64(len(layer))}
			if v < p.real {
				m.spot[c.id[v]] = s
			} else {
				id := c.id[p.source[v]]
				m.bend[id] = append(m.bend[id], s)
			}
		}
	}
	for _, q := range c.pairs {
		if c.state[q.edge] == Turned {
			m.turned[[2]string{c.id[q.from], c.id[q.to]}] = true
		}
	}
	return m
}
