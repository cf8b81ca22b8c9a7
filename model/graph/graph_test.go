package graph

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// edges makes a graph from rows; a task's own index in its row is a self-dependency.
func edges(rows [][]int32) *Graph {
	g := &Graph{Out: Rows{Off: make([]int32, len(rows)+1)}}
	for i, row := range rows {
		for _, d := range row {
			if d == int32(i) {
				g.Selves = append(g.Selves, d)
			} else {
				g.Out.To = append(g.Out.To, d)
			}
		}
		g.Out.Off[i+1] = int32(len(g.Out.To))
	}
	g.Finish()
	return g
}

func genRows(rt *rapid.T, acyclic bool) [][]int32 {
	n := rapid.IntRange(1, 40).Draw(rt, "tasks")
	name := rapid.Permutation(ascending(n)).Draw(rt, "names")
	rows := make([][]int32, n)
	most := rapid.IntRange(0, 3).Draw(rt, "density")
	for i := range n {
		for range rapid.IntRange(0, most).Draw(rt, "edges") {
			lim := n
			if acyclic {
				lim = i
			}
			if lim == 0 {
				continue
			}
			d := name[rapid.IntRange(0, lim-1).Draw(rt, "to")]
			if row := rows[name[i]]; !slices.Contains(row, d) {
				rows[name[i]] = append(row, d)
			}
		}
	}
	return rows
}

func ascending(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// oracle is the same graph for gonum, without the self-dependencies, which it refuses.
func oracle(rows [][]int32) *simple.DirectedGraph {
	g := simple.NewDirectedGraph()
	for i := range rows {
		g.AddNode(simple.Node(i))
	}
	for i, row := range rows {
		for _, d := range row {
			if int(d) != i {
				g.SetEdge(g.NewEdge(simple.Node(i), simple.Node(d)))
			}
		}
	}
	return g
}

func TestCyclesAgainstGonum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := genRows(rt, false)
		g := edges(rows)
		want := map[int32][]int32{}
		for _, scc := range topo.TarjanSCC(oracle(rows)) {
			var members []int32
			for _, v := range scc {
				members = append(members, int32(v.ID()))
			}
			slices.Sort(members)
			if len(members) > 1 || slices.Contains(rows[members[0]], members[0]) {
				want[members[0]] = members
			}
		}
		if len(g.Cycles) != len(want) {
			rt.Fatalf("cycles %v, want %v", g.Cycles, want)
		}
		in := map[int32]bool{}
		for k, c := range g.Cycles {
			if !slices.Equal(c, want[c[0]]) || k > 0 && g.Cycles[k-1][0] >= c[0] {
				rt.Fatalf("cycles %v, want %v", g.Cycles, want)
			}
			for _, v := range c {
				in[v] = true
			}
		}
		for i := range int32(len(rows)) {
			if g.InCycle(i) != in[i] {
				rt.Fatalf("inCycle(%d) is %v", i, g.InCycle(i))
			}
		}
	})
}

func TestCycleThroughIsShortest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := genRows(rt, false)
		g := edges(rows)
		dist := path.DijkstraAllPaths(oracle(rows))
		for i := range int32(len(rows)) {
			want := -1 // no cycle
			for _, d := range rows[i] {
				if d == i {
					want = 1
				} else if w := dist.Weight(int64(d), int64(i)); want < 0 || int(w)+1 < want {
					if w < float64(len(rows)+1) {
						want = int(w) + 1
					}
				}
			}
			c := g.CycleThrough(i)
			if want < 0 {
				if c != nil {
					rt.Fatalf("cycle %v through %d, which is in none", c, i)
				}
				continue
			}
			if len(c) != want || c[0] != i {
				rt.Fatalf("cycle %v through %d, want one of %d", c, i, want)
			}
			for k, v := range c {
				if !slices.Contains(rows[v], c[(k+1)%len(c)]) {
					rt.Fatalf("%v: %d does not depend on what follows", c, v)
				}
			}
		}
	})
}

func TestOrderPutsDependenciesFirst(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		acyclic := rapid.Bool().Draw(rt, "acyclic")
		rows := genRows(rt, acyclic)
		g := edges(rows)
		if sorted := slices.Sorted(slices.Values(g.Order())); !slices.Equal(sorted, ascending(len(rows))) {
			rt.Fatalf("order %v is not every task once", g.Order())
		}
		if _, err := topo.Sort(oracle(rows)); (err == nil) == slices.ContainsFunc(g.Cycles, func(c []int32) bool { return len(c) > 1 }) {
			rt.Fatalf("gonum says %v, cycles are %v", err, g.Cycles)
		}
		place := make([]int, len(rows))
		for k, v := range g.Order() {
			place[v] = k
		}
		for i, row := range rows {
			for _, d := range row {
				tangled := g.InCycle(d) && g.InCycle(int32(i)) && g.ring[d] == g.ring[i]
				if place[d] >= place[i] && !tangled {
					rt.Fatalf("%d stands before %d, which it depends on: %v", i, d, g.Order())
				}
			}
		}
		for _, c := range g.Cycles {
			if k := place[c[0]]; !slices.Equal(g.Order()[k:k+len(c)], c) {
				rt.Fatalf("the cycle %v is torn apart in %v", c, g.Order())
			}
		}
		if again := edges(rows); !slices.Equal(again.Order(), g.Order()) {
			rt.Fatalf("the same edges give %v and %v", g.Order(), again.Order())
		}
	})
}

func TestComponentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := genRows(rt, false)
		u := simple.NewUndirectedGraph()
		for i := range rows {
			u.AddNode(simple.Node(i))
		}
		for i, row := range rows {
			for _, d := range row {
				if int(d) != i {
					u.SetEdge(u.NewEdge(simple.Node(i), simple.Node(d)))
				}
			}
		}
		id := edges(rows).Components()
		for _, part := range topo.ConnectedComponents(u) {
			for _, v := range part {
				if id[v.ID()] != id[part[0].ID()] {
					rt.Fatalf("%v are linked but numbered %v", part, id)
				}
			}
		}
		next := int32(0)
		for _, k := range id {
			if k > next {
				rt.Fatalf("numbers do not follow the lowest index: %v", id)
			}
			next = max(next, k+1)
		}
		if int(next) != len(topo.ConnectedComponents(u)) {
			rt.Fatalf("%d parts, want %d", next, len(topo.ConnectedComponents(u)))
		}
	})
}

// Neither a chain nor a ring of any length may overflow the stack.
func TestDeepGraph(t *testing.T) {
	const n = 200_000
	rows := make([][]int32, n)
	all := make([]int32, n)
	for i := range rows {
		all[i] = int32((i + 1) % n)
		rows[i] = all[i : i+1]
	}
	ring := edges(rows)
	if len(ring.Cycles) != 1 || len(ring.Cycles[0]) != n || len(ring.CycleThrough(5)) != n {
		t.Errorf("a ring of %d is %d cycles", n, len(ring.Cycles))
	}
	rows[n-1] = nil
	chain := edges(rows)
	if len(chain.Cycles) != 0 || chain.Order()[0] != n-1 || chain.Order()[n-1] != 0 {
		t.Error("a chain is not in order")
	}
}

// Rows close behind what they wait for: a chain is not interleaved with another.
func TestOrderKeepsChainsTogether(t *testing.T) {
	// 0 ← 2 ← 4 and 1 ← 3 ← 5
	g := edges([][]int32{{}, {}, {0}, {1}, {2}, {3}})
	if want := []int32{0, 2, 4, 1, 3, 5}; !slices.Equal(g.Order(), want) {
		t.Errorf("order is %v, want %v", g.Order(), want)
	}
	// What one task frees comes in its own order.
	g = edges([][]int32{{3}, {3}, {3}, {}})
	if want := []int32{3, 0, 1, 2}; !slices.Equal(g.Order(), want) {
		t.Errorf("order is %v, want %v", g.Order(), want)
	}
}
