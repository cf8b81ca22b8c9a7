package layout

import (
	"cmp"
	"slices"
)

// orderBudget is how many steps are spent at most on finding an order, half of them on shaking one;
// what is left undone then costs beauty only. A step is about a nanosecond.
const orderBudget = 10_000_000

// wideLayer is the number of vertices in a column above which each one is not compared with every other.
const wideLayer = 1500

// shakes is how often another order near the best is tried.
const shakes = 600

// order puts the vertices of each column in order. With a memory, those that were in one column and
// are so again keep their order; without, each connected component is ordered by itself, and they
// are put below each other.
func (p *proper) order(c *canonical, mem *memory) {
	o := &orderer{p: p, budget: orderBudget}
	if mem != nil && o.recall(c, mem) {
		return
	}
	members := make([][]int, p.parts)
	for v, k := range p.part {
		members[k] = append(members[k], v)
	}
	for _, m := range members {
		o.best(m, orderBudget*len(m)/len(p.rank))
	}
	p.index()
}

// orderer looks for an order of the columns of one component at a time. While it does, pos is the place
// in the component's own column.
type orderer struct {
	p      *proper
	layers [][]int
	hold   []int // by vertex: vertices of one number, not 0, keep their order; nil: none does
	budget int

	prefer []int // matrix: what it costs that the one stands before the other, less the reverse
	sum    []int
	place  []int
	value  []float64
}

// best appends the members of a component to the columns, in the best order found: of one begun from
// the left and one from the right, the better one, shaken.
func (o *orderer) best(members []int, budget int) {
	o.layers = make([][]int, len(o.p.layers))
	var found [][]int
	least := 1
	for _, fromRight := range []bool{false, true} {
		if least == 0 {
			break
		}
		o.budget = budget / 4
		o.begin(members, fromRight)
		o.sweeps()
		if n := o.refine(); found == nil || n < least {
			found, least = cloneLayers(o.layers), n
		}
	}
	o.layers = found
	o.index()
	o.budget = budget / 2
	o.shake(members, least, shakes)
	for r, layer := range o.layers {
		o.p.layers[r] = append(o.p.layers[r], layer...)
	}
}

func cloneLayers(layers [][]int) [][]int {
	out := make([][]int, len(layers))
	for r, layer := range layers {
		out[r] = slices.Clone(layer)
	}
	return out
}

// begin fills the columns by a walk in depth, which keeps trees together.
func (o *orderer) begin(members []int, fromRight bool) {
	p := o.p
	ahead, behind := &p.next, &p.prev
	if fromRight {
		ahead, behind = behind, ahead
	}
	seen := make(map[int]bool, len(members))
	for r := range o.layers {
		o.layers[r] = o.layers[r][:0]
	}
	var stack []int
	for _, root := range members {
		if len(behind.of(root)) > 0 {
			continue
		}
		stack = append(stack[:0], root)
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[v] {
				continue
			}
			seen[v] = true
			o.layers[p.rank[v]] = append(o.layers[p.rank[v]], v)
			for _, w := range slices.Backward(ahead.of(v)) {
				if !seen[w] {
					stack = append(stack, w)
				}
			}
		}
	}
	o.index()
}

func (o *orderer) index() {
	for _, layer := range o.layers {
		for i, v := range layer {
			o.p.pos[v] = i
		}
	}
}

func (o *orderer) crossings() int {
	keep := o.p.layers
	o.p.layers = o.layers
	sum := o.p.crossings()
	o.p.layers = keep
	for _, layer := range o.layers {
		o.budget -= 8 * len(layer)
	}
	return sum
}

// sweeps orders column after column by the medians of their neighbors, to and fro, and keeps
// the best order seen.
func (o *orderer) sweeps() {
	least, found, idle := o.crossings(), cloneLayers(o.layers), 0
	for k := 0; k < 24 && idle < 4 && least > 0 && o.budget > 0; k++ {
		for i := range o.layers {
			if k%2 == 0 {
				o.byMedian(i, &o.p.prev, k/2%2 == 1)
			} else {
				o.byMedian(len(o.layers)-1-i, &o.p.next, k/2%2 == 1)
			}
		}
		idle++
		if n := o.crossings(); n < least {
			least, found, idle = n, cloneLayers(o.layers), 0
		}
	}
	o.layers = found
	o.index()
}

// byMedian sorts a column by the medians of its vertices' neighbors to one side. Vertices without
// any stay where they are; equal ones swap where asked.
func (o *orderer) byMedian(r int, side *rows, swap bool) {
	layer, p := o.layers[r], o.p
	if cap(o.value) < len(p.rank) {
		o.value = make([]float64, len(p.rank))
	}
	value := o.value[:len(p.rank)]
	var moving []int
	for _, v := range layer {
		to := side.of(v)
		if len(to) == 0 {
			continue
		}
		o.place = o.place[:0]
		for _, w := range to {
			o.place = append(o.place, p.pos[w])
		}
		slices.Sort(o.place)
		value[v] = median(o.place)
		moving = append(moving, v)
		o.budget -= 10 + 4*len(to)
	}
	slices.SortStableFunc(moving, func(a, b int) int {
		tie := p.pos[a] - p.pos[b]
		if swap {
			tie = -tie
		}
		return cmp.Or(cmp.Compare(value[a], value[b]), tie)
	})
	k := 0
	for i, v := range layer {
		if len(side.of(v)) > 0 {
			layer[i] = moving[k]
			k++
		}
	}
	for i, v := range layer {
		p.pos[v] = i
	}
}

// median leans to the side where the places stand closer together (Gansner et al. 1993).
func median(sorted []int) float64 {
	n, m := len(sorted), len(sorted)/2
	if n%2 == 1 {
		return float64(sorted[m])
	}
	if n == 2 {
		return float64(sorted[0]+sorted[1]) / 2
	}
	above, below := float64(sorted[m-1]-sorted[0]), float64(sorted[n-1]-sorted[m])
	if above+below == 0 {
		return float64(sorted[m-1]+sorted[m]) / 2
	}
	return (float64(float64(sorted[m-1])*below) + float64(float64(sorted[m])*above)) / (above + below) // no fused operations: the same everywhere
}

// refine moves every vertex to its best place given both neighboring columns, to and fro, until none
// moves. The result is the number of crossings.
func (o *orderer) refine() int {
	dirty := make([]bool, len(o.layers))
	for r := range dirty {
		dirty[r] = true
	}
	for turn := 0; turn < 20 && o.budget > 0; turn++ {
		moved := false
		for i := range o.layers {
			r := i
			if turn%2 == 1 {
				r = len(o.layers) - 1 - i
			}
			if !dirty[r] {
				continue
			}
			dirty[r] = false
			if o.settle(r) {
				moved = true
				if r > 0 {
					dirty[r-1] = true
				}
				if r+1 < len(dirty) {
					dirty[r+1] = true
				}
			}
		}
		if !moved {
			break
		}
	}
	return o.crossings()
}

// settle moves the vertices of one column, each to the place that costs least, until none moves.
func (o *orderer) settle(r int) bool {
	layer := o.layers[r]
	n := len(layer)
	if n < 2 || n > wideLayer {
		return false
	}
	o.compare(layer)
	if !insert(layer, o.prefer, &o.place, &o.budget) {
		return false
	}
	for i, v := range layer {
		o.p.pos[v] = i
	}
	return true
}

// compare fills the matrix of a column, by the places of its vertices in it.
func (o *orderer) compare(layer []int) {
	n := len(layer)
	o.prefer = slices.Grow(o.prefer[:0], n*n)[:n*n]
	clear(o.prefer)
	for _, side := range []*rows{&o.p.prev, &o.p.next} {
		ends := 0
		for _, v := range layer {
			for _, w := range side.of(v) {
				ends = max(ends, o.p.pos[w]+1)
			}
		}
		for j, v := range layer {
			to := side.of(v)
			if len(to) == 0 {
				continue
			}
			o.spread(to, ends)
			for i := range j {
				d := 0
				for _, w := range side.of(layer[i]) {
					d += o.sum[o.p.pos[w]]
				}
				o.prefer[i*n+j] += d
				o.prefer[j*n+i] -= d
			}
			o.budget -= ends + 3*j
		}
	}
	if o.hold == nil {
		return
	}
	for j, v := range layer {
		for i := range j {
			if h := o.hold[v]; h != 0 && h == o.hold[layer[i]] {
				o.prefer[i*n+j], o.prefer[j*n+i] = -never, never
			}
		}
	}
}

// spread fills sum: by place in the next column, how many of some ends lie before it, less how many
// behind.
func (o *orderer) spread(to []int, ends int) {
	o.sum = slices.Grow(o.sum[:0], ends+1)[:ends+1]
	clear(o.sum)
	for _, w := range to {
		o.sum[o.p.pos[w]]++
		o.sum[o.p.pos[w]+1]++
	}
	run := -len(to)
	for x, d := range o.sum {
		run += d
		o.sum[x] = run
	}
}

// never is more than all crossings of a column.
const never = 1 << 40

// insert takes items one by one to the place where they cost least, until none moves. prefer is a
// matrix over their first places: what it costs that i stands before j, less the reverse. It says
// whether anything moved.
func insert(items, prefer []int, place *[]int, budget *int) bool {
	n := len(items)
	at := slices.Grow((*place)[:0], n)[:n]
	*place = at
	for i := range at {
		at[i] = i
	}
	first := slices.Clone(items)
	any := false
	for moved, pass := true, 0; moved && pass < 10 && *budget > 0; pass++ {
		moved = false
		for v := range n {
			i := slices.Index(at, v)
			row := prefer[v*n : v*n+n]
			best, to, cost := 0, i, 0
			for k := i - 1; k >= 0; k-- {
				if cost += row[at[k]]; cost < best {
					best, to = cost, k
				}
			}
			cost = 0
			for k := i + 1; k < n; k++ {
				if cost -= row[at[k]]; cost < best {
					best, to = cost, k
				}
			}
			if to < i {
				copy(at[to+1:i+1], at[to:i])
			} else {
				copy(at[i:to], at[i+1:to+1])
			}
			if at[to] = v; to != i {
				moved, any = true, true
			}
		}
		*budget -= 2 * n * n
	}
	for i, k := range at {
		items[i] = first[k]
	}
	return any
}
