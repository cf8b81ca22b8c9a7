package layout

import (
	"math/rand/v2"
	"slices"
)

// shaker looks for a better order near a good one: a line over several columns, or one vertex, goes
// to some other height, what that disturbs goes to its best place, and all is taken back when that
// was no better. What is random in it depends on the graph alone.
type shaker struct {
	*orderer
	rng     *rand.Rand
	before  [][]int // by column: its order before the try, where touched
	touched []int   // columns that were touched in the try
	queue   []int   // vertices that may stand better elsewhere
	queued  []bool
	row     []int
}

// followUps is how many vertices move at most after each other because of one.
const followUps = 300

// shake tries as often as it is told, or until the budget ends.
func (o *orderer) shake(members []int, crossings, tries int) {
	s := &shaker{
		orderer: o, rng: rand.New(rand.NewPCG(uint64(len(members)), uint64(len(o.layers)))),
		before: make([][]int, len(o.layers)), queued: make([]bool, len(o.p.rank)),
	}
	for ; tries > 0 && crossings > 0 && o.budget > 0; tries-- {
		if delta := s.try(o.line(members[s.rng.IntN(len(members))])); delta < 0 || delta == 0 && o.hold == nil {
			crossings += delta
		} else {
			s.takeBack()
		}
		for _, r := range s.touched {
			s.before[r] = s.before[r][:0]
		}
		s.touched = s.touched[:0]
	}
}

// try moves some vertices to one height, and what that disturbs to its best place. The result is
// how many crossings there are more.
func (s *shaker) try(line []int) int {
	delta, down := 0, s.rng.Float64()
	for _, v := range line {
		to := s.within(v, int(down*float64(len(s.layers[s.p.rank[v]]))))
		s.costs(v)
		delta += s.move(v, to)
	}
	for _, v := range line {
		s.wake(v)
	}
	s.queue = append(s.queue, line...)
	for _, v := range line {
		s.queued[v] = true
	}
	k := 0
	for ; k < len(s.queue) && k < followUps; k++ {
		v := s.queue[k]
		s.queued[v] = false
		s.costs(v)
		if to := s.bestPlace(v); to != s.p.pos[v] {
			delta += s.move(v, to)
			s.wake(v)
		}
	}
	for _, v := range s.queue[k:] {
		s.queued[v] = false
	}
	s.queue = s.queue[:0]
	return delta
}

// within is the place nearest to one where v may stand: not beyond what it keeps its order with.
func (s *shaker) within(v, to int) int {
	if s.hold == nil || s.hold[v] == 0 {
		return to
	}
	layer, i := s.layers[s.p.rank[v]], s.p.pos[v]
	for ; i > to && s.hold[layer[i-1]] != s.hold[v]; i-- {
	}
	for ; i < to && s.hold[layer[i+1]] != s.hold[v]; i++ {
	}
	return i
}

// wake queues what a vertex is linked with.
func (s *shaker) wake(v int) {
	for _, side := range []*rows{&s.p.prev, &s.p.next} {
		for _, w := range side.of(v) {
			if !s.queued[w] && len(s.layers[s.p.rank[w]]) > 1 {
				s.queued[w] = true
				s.queue = append(s.queue, w)
			}
		}
	}
}

// costs fills row: by place in the column, what it costs that v stands before what is there, less the reverse.
func (s *shaker) costs(v int) {
	layer := s.layers[s.p.rank[v]]
	s.row = slices.Grow(s.row[:0], len(layer))[:len(layer)]
	clear(s.row)
	for _, side := range []*rows{&s.p.prev, &s.p.next} {
		if len(side.of(v)) == 0 {
			continue
		}
		ends := len(s.layers[s.p.rank[side.of(v)[0]]])
		s.spread(side.of(v), ends)
		for i, w := range layer {
			for _, x := range side.of(w) {
				s.row[i] -= s.sum[s.p.pos[x]]
			}
			s.budget -= 2 + len(side.of(w))
		}
		s.budget -= 2 * ends
	}
	s.row[s.p.pos[v]] = 0
	if s.hold != nil && s.hold[v] != 0 {
		for i, w := range layer {
			if s.hold[w] == s.hold[v] && i != s.p.pos[v] {
				s.row[i] = never
				if i > s.p.pos[v] {
					s.row[i] = -never
				}
			}
		}
	}
}

// bestPlace is where v costs least, by row: where it stands when nothing is better.
func (s *shaker) bestPlace(v int) int {
	i := s.p.pos[v]
	best, to, cost := 0, i, 0
	for k := i - 1; k >= 0; k-- {
		if cost += s.row[k]; cost < best {
			best, to = cost, k
		}
	}
	cost = 0
	for k := i + 1; k < len(s.row); k++ {
		if cost -= s.row[k]; cost < best {
			best, to = cost, k
		}
	}
	return to
}

// move takes v to a place of its column and returns what that costs, by row.
func (s *shaker) move(v, to int) int {
	r, i := s.p.rank[v], s.p.pos[v]
	if to == i {
		return 0
	}
	layer := s.layers[r]
	if len(s.before[r]) == 0 {
		s.before[r] = append(s.before[r], layer...)
		s.touched = append(s.touched, r)
	}
	cost := 0
	for k := to; k < i; k++ {
		cost += s.row[k]
	}
	for k := i + 1; k <= to; k++ {
		cost -= s.row[k]
	}
	if to < i {
		copy(layer[to+1:i+1], layer[to:i])
	} else {
		copy(layer[i:to], layer[i+1:to+1])
	}
	layer[to] = v
	for k := min(i, to); k <= max(i, to); k++ {
		s.p.pos[layer[k]] = k
	}
	return cost
}

func (s *shaker) takeBack() {
	for _, r := range s.touched {
		copy(s.layers[r], s.before[r])
		for k, v := range s.layers[r] {
			s.p.pos[v] = k
		}
	}
}

// line is the bends of the line that a bend is part of, or just the node.
func (o *orderer) line(v int) []int {
	out := []int{v}
	if v < o.p.real {
		return out
	}
	for u := o.p.prev.of(v)[0]; u >= o.p.real; u = o.p.prev.of(u)[0] {
		out = append(out, u)
	}
	for k := 0; k >= 0; {
		k = slices.IndexFunc(o.p.next.of(v), func(w int) bool { return w >= o.p.real })
		if k >= 0 {
			v = o.p.next.of(v)[k]
			out = append(out, v)
		}
	}
	return out
}
