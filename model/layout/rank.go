package layout

import (
	"math"
	"slices"
)

// columns is the column of each node: every arc runs to the right, the arcs are short in sum, and
// no column is empty. With a memory they stay near what they were.
func columns(c *canonical, arcs []arc, mem *memory) []int {
	out := newRows(c.n, len(arcs), func(k int) (int, int, bool) { return arcs[k].tail, arcs[k].head, true })
	in := newRows(c.n, len(arcs), func(k int) (int, int, bool) { return arcs[k].head, arcs[k].tail, true })
	s := newSimplex(arcs, &out, &in)
	best := s.solve()
	if mem != nil {
		if old := remembered(c, &out, &in, mem); old != nil && 10*length(arcs, old) <= keepBelow*length(arcs, best)+100 {
			best = old
		}
	}
	return closeRanks(best)
}

// keepBelow is how many tenths of the shortest the arcs may be long in sum with the columns of an
// earlier layout, beside a few columns, so that these are kept.
const keepBelow = 14

func length(arcs []arc, rank []int) int {
	sum := 0
	for _, a := range arcs {
		sum += rank[a.head] - rank[a.tail]
	}
	return sum
}

// closeRanks takes away columns without a node, and begins at 0.
func closeRanks(rank []int) []int {
	used := slices.Clone(rank)
	slices.Sort(used)
	used = slices.Compact(used)
	for v, r := range rank {
		rank[v], _ = slices.BinarySearch(used, r)
	}
	return rank
}

// remembered is the columns of nodes where those of the memory stay where they were, or go to the
// right where an arc pushes them; nil when it knows none of them.
func remembered(c *canonical, out, in *rows, mem *memory) []int {
	const none = math.MinInt32
	order, _ := topological(c.n, out)
	old, most := make([]int, c.n), make([]int, c.n)
	known := false
	for k := len(order) - 1; k >= 0; k-- {
		v := order[k]
		old[v], most[v] = none, math.MaxInt32
		for _, w := range out.of(v) {
			most[v] = min(most[v], most[w]-1)
		}
		if spot, ok := mem.spot[c.id[v]]; ok {
			old[v], most[v] = spot.col, spot.col
			known = true
		}
	}
	if !known {
		return nil
	}
	rank := make([]int, c.n)
	for _, v := range order {
		least := none
		for _, u := range in.of(v) {
			least = max(least, rank[u]+1)
		}
		switch {
		case old[v] != none:
			rank[v] = max(old[v], least)
		case least != none:
			rank[v] = least
		case most[v] < math.MaxInt32/2:
			rank[v] = most[v]
		}
	}
	// New nodes go to the end of their room where more of their arcs are.
	for k := len(order) - 1; k >= 0; k-- {
		v := order[k]
		if old[v] != none || out.degree(v) <= in.degree(v) {
			continue
		}
		rank[v] = math.MaxInt32
		for _, w := range out.of(v) {
			rank[v] = min(rank[v], rank[w]-1)
		}
	}
	return rank
}

// simplex is the network simplex method for ranks (Gansner, Koutsofios, North, Vo 1993): a spanning
// tree of tight arcs, of which one that is pulled apart is exchanged for another until none is.
type simplex struct {
	arcs    []arc
	out, in *rows
	rank    []int
	inTree  []bool
	cut     []int
	tree    [][]int // by node: its arcs that are in the tree
	up      []int   // by node: the arc towards the root, or -1
	low     []int   // by node: the least number below it
	number  []int   // by node: in postorder
	post    []int   // the nodes of the component in postorder
	budget  int     // of arcs looked at
}

// rankBudget is how many arcs are looked at at most to make arcs shorter; what is left undone then
// costs beauty only.
const rankBudget = 30_000_000

func newSimplex(arcs []arc, out, in *rows) *simplex {
	n := len(out.off) - 1
	return &simplex{
		arcs: arcs, out: out, in: in, rank: make([]int, n), inTree: make([]bool, len(arcs)), cut: make([]int, len(arcs)),
		tree: make([][]int, n), up: make([]int, n), low: make([]int, n), number: make([]int, n), budget: rankBudget,
	}
}

func (s *simplex) solve() []int {
	order, ok := topological(len(s.rank), s.out)
	if !ok {
		panic("layout: a cycle is left")
	}
	for _, v := range order {
		for _, w := range s.out.of(v) {
			s.rank[w] = max(s.rank[w], s.rank[v]+1)
		}
	}
	for _, part := range parts(s.out, s.in) {
		if len(part) > 2 {
			s.solvePart(part)
		}
		least := s.rank[part[0]]
		for _, v := range part {
			least = min(least, s.rank[v])
		}
		for _, v := range part {
			s.rank[v] -= least
		}
	}
	return s.rank
}

// parts is the weakly connected components, by their lowest node.
func parts(out, in *rows) [][]int {
	n := len(out.off) - 1
	seen := make([]bool, n)
	var all [][]int
	for root := range n {
		if seen[root] {
			continue
		}
		part := []int{root}
		seen[root] = true
		for i := 0; i < len(part); i++ {
			for _, r := range []*rows{out, in} {
				for _, w := range r.of(part[i]) {
					if !seen[w] {
						seen[w] = true
						part = append(part, w)
					}
				}
			}
		}
		slices.Sort(part)
		all = append(all, part)
	}
	return all
}

func (s *simplex) slack(k int) int { return s.rank[s.arcs[k].head] - s.rank[s.arcs[k].tail] - 1 }

func (s *simplex) solvePart(part []int) {
	var arcs []int
	for _, v := range part {
		arcs = append(arcs, s.out.edges(v)...)
	}
	if !s.growTree(part, arcs) {
		return
	}
	s.renumber(part[0])
	s.cutValues()
	from := 0
	for s.budget > 0 {
		s.budget -= 3*len(arcs) + 3*len(part)
		leave := -1
		for k, seen := 0, 0; k < len(arcs) && seen < 30; k++ {
			a := arcs[(from+k)%len(arcs)]
			if s.inTree[a] && s.cut[a] < 0 {
				if leave < 0 || s.cut[a] < s.cut[leave] {
					leave = a
				}
				if seen++; seen == 30 {
					from = (from + k) % len(arcs)
				}
			}
		}
		if leave < 0 {
			return
		}
		s.exchange(part, arcs, leave)
	}
}

// growTree makes a tree of tight arcs over the part, moving what is in it already towards the next
// node each time. It says no when the budget ends first.
func (s *simplex) growTree(part, arcs []int) bool {
	inside := make(map[int]bool, len(part))
	var members, stack []int
	add := func(v int) {
		inside[v] = true
		members = append(members, v)
		stack = append(stack, v)
	}
	link := func(k int) {
		s.inTree[k] = true
		a := s.arcs[k]
		s.tree[a.tail] = append(s.tree[a.tail], k)
		s.tree[a.head] = append(s.tree[a.head], k)
	}
	add(part[0])
	for {
		for len(stack) > 0 {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, r := range []*rows{s.out, s.in} {
				for i, w := range r.of(v) {
					if k := r.edges(v)[i]; !inside[w] && s.slack(k) == 0 {
						link(k)
						add(w)
					}
				}
			}
		}
		if len(members) == len(part) {
			return true
		}
		best := -1
		for _, k := range arcs {
			if inside[s.arcs[k].tail] != inside[s.arcs[k].head] && (best < 0 || s.slack(k) < s.slack(best)) {
				best = k
			}
		}
		if s.budget -= len(arcs); s.budget < 0 {
			return false
		}
		move, next := s.slack(best), s.arcs[best].head
		if inside[next] {
			move, next = -move, s.arcs[best].tail
		}
		for _, v := range members {
			s.rank[v] += move
		}
		link(best)
		add(next)
	}
}

// exchange takes an arc out of the tree, puts the tightest one in that joins the two halves the
// other way round, and moves one half so that it is tight.
func (s *simplex) exchange(part, arcs []int, leave int) {
	below := s.arcs[leave].tail // the end of the arc that is farther from the root
	if s.up[below] != leave {
		below = s.arcs[leave].head
	}
	tailBelow := below == s.arcs[leave].tail
	lo, hi := s.low[below], s.number[below]
	isBelow := func(v int) bool { return lo <= s.number[v] && s.number[v] <= hi }
	enter := -1
	for _, k := range arcs {
		if s.inTree[k] {
			continue
		}
		t, h := isBelow(s.arcs[k].tail), isBelow(s.arcs[k].head)
		if t != h && t != tailBelow && (enter < 0 || s.slack(k) < s.slack(enter)) {
			enter = k
		}
	}
	if enter < 0 {
		s.cut[leave] = 0 // cannot be: the arc would be the only one between the halves, and pull them together
		return
	}
	move := s.slack(enter)
	if tailBelow {
		move = -move
	}
	if move != 0 {
		for _, v := range part {
			if isBelow(v) {
				s.rank[v] += move
			}
		}
	}
	s.inTree[leave], s.inTree[enter] = false, true
	for _, v := range []int{s.arcs[leave].tail, s.arcs[leave].head} {
		s.tree[v] = slices.DeleteFunc(s.tree[v], func(k int) bool { return k == leave })
	}
	for _, v := range []int{s.arcs[enter].tail, s.arcs[enter].head} {
		s.tree[v] = append(s.tree[v], enter)
	}
	s.renumber(part[0])
	s.cutValues()
}

// renumber walks the tree from its root and sets up, low, number and post.
func (s *simplex) renumber(root int) {
	type frame struct{ v, next, low int }
	s.post = s.post[:0]
	s.up[root] = -1
	stack := []frame{{root, 0, 0}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(s.tree[f.v]) {
			s.low[f.v], s.number[f.v] = f.low, len(s.post)
			s.post = append(s.post, f.v)
			stack = stack[:len(stack)-1]
			continue
		}
		k := s.tree[f.v][f.next]
		f.next++
		if k == s.up[f.v] {
			continue
		}
		w := s.arcs[k].tail + s.arcs[k].head - f.v
		s.up[w] = k
		stack = append(stack, frame{w, 0, len(s.post)})
	}
}

// cutValues computes, leaves first, for each arc of the tree how many arcs cross from its tail's
// half to its head's, less those the other way.
func (s *simplex) cutValues() {
	for _, v := range s.post {
		k := s.up[v]
		if k < 0 {
			continue
		}
		sign := 1
		if s.arcs[k].head == v {
			sign = -1
		}
		sum := 1
		for d, r := range []*rows{s.out, s.in} {
			dir := sign
			if d == 1 {
				dir = -sign
			}
			for i, w := range r.of(v) {
				switch x := r.edges(v)[i]; {
				case x == k:
				case s.inTree[x] && s.up[w] == x:
					sum -= dir * (s.cut[x] - 1)
				default:
					sum += dir
				}
			}
		}
		s.cut[k] = sum
	}
}
