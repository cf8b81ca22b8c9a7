package layout

import (
	"cmp"
	"slices"
)

// recall orders the columns as the memory has them, and looks for good places for what is new and
// for the bends; where nothing is new, nothing moves. It says no when the memory knows none of the nodes.
func (o *orderer) recall(c *canonical, mem *memory) bool {
	p := o.p
	n := len(p.rank)
	down, known := make([]float64, n), make([]bool, n)
	o.hold = make([]int, n)
	any := false
	for v := range n {
		s, ok := mem.spot[c.id[p.source[v]]]
		if !ok {
			continue
		}
		if v < p.real {
			down[v], known[v], o.hold[v], any = s.down, true, s.col+1, true
			continue
		}
		shift := p.rank[p.source[v]] - s.col // the columns may have other numbers now
		for _, b := range mem.bend[c.id[p.source[v]]] {
			if b.col+shift == p.rank[v] {
				down[v], known[v] = b.down, true
			}
		}
	}
	if !any {
		o.hold = nil
		return false
	}
	o.guess(down, known)
	o.layers = make([][]int, len(p.layers))
	for v, r := range p.rank {
		o.layers[r] = append(o.layers[r], v)
	}
	for _, layer := range o.layers {
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(down[a], down[b]) })
	}
	o.index()
	if slices.Contains(known, false) {
		all := make([]int, n)
		for v := range all {
			all[v] = v
		}
		o.shake(all, o.refine(), shakes)
	}
	p.layers = o.layers
	p.index()
	return true
}

// guess gives what has no place yet the mean of its neighbors', from the known ones outwards.
func (o *orderer) guess(down []float64, known []bool) {
	p := o.p
	for v := range down {
		if !known[v] {
			down[v] = 0.5
		}
	}
	placed := slices.Clone(known)
	for range 8 {
		for v := range down {
			if known[v] {
				continue
			}
			sum, count := 0.0, 0
			for _, side := range []*rows{&p.prev, &p.next} {
				for _, w := range side.of(v) {
					if placed[w] {
						sum += down[w]
						count++
					}
				}
			}
			if count > 0 {
				down[v], placed[v] = sum/float64(count), true
			}
		}
	}
}
