package layout

import (
	"cmp"
	"slices"
)

// placer gives every vertex its rows. A node takes as many as lines enter it, with its label in the
// middle; a bend takes one.
type placer struct {
	p      *proper
	y      []int // by vertex: its first row
	height []int
	label  []int // by vertex: how far below y its label and its line to the right stand
	entry  []int // by link of next: in which of its end's rows it enters

	wants, merged []want
	stack         []block
}

// want is a row that a line would be straight in, and how much that counts.
type want struct{ row, weight int }

// place is the rows of all vertices, from 0 on, none of which is empty in all columns.
func place(p *proper) *placer {
	n := len(p.rank)
	s := &placer{p: p, y: make([]int, n), height: make([]int, n), label: make([]int, n)}
	p.sortLinks()
	for v := range n {
		s.height[v] = max(1, len(p.prev.of(v)))
		s.label[v] = (s.height[v] - 1) / 2
	}
	s.entry = make([]int, len(p.next.to))
	fill := make([]int, n)
	for _, layer := range p.layers {
		y := 0
		for _, v := range layer {
			s.y[v] = y
			y += s.height[v]
			for k := p.next.off[v]; k < p.next.off[v+1]; k++ {
				w := p.next.to[k]
				s.entry[k] = fill[w]
				fill[w]++
			}
		}
	}
	for k := range 12 {
		s.sweep(k%2 == 0, k >= 8)
	}
	s.closeRows()
	return s
}

// sortLinks sorts what each vertex is linked with by place. Which link is which is lost.
func (p *proper) sortLinks() {
	for _, l := range []*rows{&p.prev, &p.next} {
		for v := range p.rank {
			slices.SortFunc(l.of(v), func(a, b int) int { return p.pos[a] - p.pos[b] })
		}
	}
}

// exit is the row of a vertex's line to the right.
func (s *placer) exit(v int) int { return s.y[v] + s.label[v] }

// straight is how much it counts that the line between two vertices is straight: most within a
// long one (Gansner et al. 1993).
func (s *placer) straight(a, b int) int {
	switch bends := max(0, min(1, a-s.p.real+1)) + max(0, min(1, b-s.p.real+1)); bends {
	case 0:
		return 1
	case 1:
		return 2
	default:
		return 8
	}
}

// sweep places column after column by the rows of the ones before, or the ones after, or both.
func (s *placer) sweep(rightwards, both bool) {
	for i := range s.p.layers {
		r := i
		if !rightwards {
			r = len(s.p.layers) - 1 - i
		}
		s.settle(s.p.layers[r], rightwards || both, !rightwards || both)
	}
}

// want adds what v wants to wants, sorted by row.
func (s *placer) want(v int, left, right bool) {
	p, from := s.p, len(s.wants)
	if left {
		for j, u := range p.prev.of(v) {
			s.wants = append(s.wants, want{s.exit(u) - j, s.straight(u, v)})
		}
	}
	if right {
		for k := p.next.off[v]; k < p.next.off[v+1]; k++ {
			w := p.next.to[k]
			s.wants = append(s.wants, want{s.y[w] + s.entry[k] - s.label[v], s.straight(v, w)})
		}
	}
	if len(s.wants) == from {
		s.wants = append(s.wants, want{s.y[v], 1})
	}
	slices.SortFunc(s.wants[from:], func(a, b want) int { return cmp.Compare(a.row, b.row) })
}

// block is vertices that stand without a row between them, at the median of what they want.
type block struct {
	first, end int // in the column
	row, size  int
	from       int // in wants: where its own begin, as if for its first vertex, sorted; they end where the next block's begin
}

// settle places one column: blocks that would overlap become one.
func (s *placer) settle(layer []int, left, right bool) {
	s.stack, s.wants = s.stack[:0], s.wants[:0]
	for i, v := range layer {
		b := block{first: i, end: i + 1, size: s.height[v], from: len(s.wants)}
		s.want(v, left, right)
		b.row = middle(s.wants[b.from:])
		for len(s.stack) > 0 {
			top := s.stack[len(s.stack)-1]
			if top.row+top.size <= b.row {
				break
			}
			s.merge(top.from, b.from, top.size)
			b.first, b.size, b.from = top.first, top.size+b.size, top.from
			b.row = middle(s.wants[b.from:])
			s.stack = s.stack[:len(s.stack)-1]
		}
		s.stack = append(s.stack, b)
	}
	for _, b := range s.stack {
		y := b.row
		for _, v := range layer[b.first:b.end] {
			s.y[v] = y
			y += s.height[v]
		}
	}
}

// merge sorts the wants from one place on and those from a later one on into each other; these are of
// vertices so many rows further down.
func (s *placer) merge(from, later, down int) {
	s.merged = append(s.merged[:0], s.wants[from:later]...)
	a, b, out := s.merged, s.wants[later:], s.wants[from:from]
	for len(a) > 0 && len(b) > 0 {
		if a[0].row <= b[0].row-down {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, want{b[0].row - down, b[0].weight}), b[1:]
		}
	}
	out = append(out, a...)
	if len(a) > 0 {
		return
	}
	for _, w := range b {
		out = append(out, want{w.row - down, w.weight})
	}
}

// middle is the weighted median of rows.
func middle(wants []want) int {
	total := 0
	for _, w := range wants {
		total += w.weight
	}
	half := 0
	for _, w := range wants {
		if half += w.weight; 2*half >= total {
			return w.row
		}
	}
	return 0
}

// closeRows takes away the rows in which nothing stands, and begins at 0.
func (s *placer) closeRows() {
	if len(s.y) == 0 {
		return
	}
	least, most := s.y[0], s.y[0]
	for v, y := range s.y {
		least, most = min(least, y), max(most, y+s.height[v])
	}
	used := make([]bool, most-least)
	for v, y := range s.y {
		for k := range s.height[v] {
			used[y-least+k] = true
		}
	}
	row, rows := make([]int, len(used)), 0
	for k, u := range used {
		if row[k] = rows; u {
			rows++
		}
	}
	for v, y := range s.y {
		s.y[v] = row[y-least]
	}
}
