package model

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// edges makes a graph from rows; a task's own index in its row is a self-dependency.
func edges(rows [][]int32) *graph {
	g := &graph{out: adjacency{off: make([]int32, len(rows)+1)}, missing: make([]int32, len(rows))}
	for i, row := range rows {
		for _, d := range row {
			if d == int32(i) {
				g.selves = append(g.selves, d)
			} else {
				g.out.to = append(g.out.to, d)
			}
		}
		g.out.off[i+1] = int32(len(g.out.to))
	}
	g.finish()
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
		if len(g.cycles) != len(want) {
			rt.Fatalf("cycles %v, want %v", g.cycles, want)
		}
		in := map[int32]bool{}
		for k, c := range g.cycles {
			if !slices.Equal(c, want[c[0]]) || k > 0 && g.cycles[k-1][0] >= c[0] {
				rt.Fatalf("cycles %v, want %v", g.cycles, want)
			}
			for _, v := range c {
				in[v] = true
			}
		}
		for i := range int32(len(rows)) {
			if g.inCycle(i) != in[i] {
				rt.Fatalf("inCycle(%d) is %v", i, g.inCycle(i))
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
			c := g.cycleThrough(i)
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
		if sorted := slices.Sorted(slices.Values(g.sorted())); !slices.Equal(sorted, ascending(len(rows))) {
			rt.Fatalf("order %v is not every task once", g.sorted())
		}
		if _, err := topo.Sort(oracle(rows)); (err == nil) == slices.ContainsFunc(g.cycles, func(c []int32) bool { return len(c) > 1 }) {
			rt.Fatalf("gonum says %v, cycles are %v", err, g.cycles)
		}
		place := make([]int, len(rows))
		for k, v := range g.sorted() {
			place[v] = k
		}
		for i, row := range rows {
			for _, d := range row {
				tangled := g.inCycle(d) && g.inCycle(int32(i)) && g.ring[d] == g.ring[i]
				if place[d] >= place[i] && !tangled {
					rt.Fatalf("%d stands before %d, which it depends on: %v", i, d, g.sorted())
				}
			}
		}
		for _, c := range g.cycles {
			if k := place[c[0]]; !slices.Equal(g.sorted()[k:k+len(c)], c) {
				rt.Fatalf("the cycle %v is torn apart in %v", c, g.sorted())
			}
		}
		if again := edges(rows); !slices.Equal(again.sorted(), g.sorted()) {
			rt.Fatalf("the same edges give %v and %v", g.sorted(), again.sorted())
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
		id := edges(rows).components()
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

func TestChainsAreLongest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows := genRows(rt, true)
		g := edges(rows)
		open := make([]bool, len(rows))
		for i := range open {
			open[i] = rapid.Bool().Draw(rt, "open")
		}
		var longest func(v int32) int32
		longest = func(v int32) int32 {
			if !open[v] {
				return 0
			}
			best := int32(0)
			for i, row := range rows {
				if slices.Contains(row, v) {
					best = max(best, longest(int32(i)))
				}
			}
			return best + 1
		}
		got := g.chains(func(v int32) bool { return open[v] })
		for i := range int32(len(rows)) {
			if want := longest(i); got[i] != want {
				rt.Fatalf("chain from %d is %d, want %d", i, got[i], want)
			}
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
	if len(ring.cycles) != 1 || len(ring.cycles[0]) != n || len(ring.cycleThrough(5)) != n {
		t.Errorf("a ring of %d is %d cycles", n, len(ring.cycles))
	}
	rows[n-1] = nil
	chain := edges(rows)
	if len(chain.cycles) != 0 || chain.sorted()[0] != n-1 || chain.sorted()[n-1] != 0 {
		t.Error("a chain is not in order")
	}
	if got := chain.chains(func(int32) bool { return true }); got[n-1] != n {
		t.Errorf("the chain is %d long, want %d", got[n-1], n)
	}
}

// Rows close behind what they wait for: a chain is not interleaved with another.
func TestOrderKeepsChainsTogether(t *testing.T) {
	// 0 ← 2 ← 4 and 1 ← 3 ← 5
	g := edges([][]int32{{}, {}, {0}, {1}, {2}, {3}})
	if want := []int32{0, 2, 4, 1, 3, 5}; !slices.Equal(g.sorted(), want) {
		t.Errorf("order is %v, want %v", g.sorted(), want)
	}
	// What one task frees comes in its own order.
	g = edges([][]int32{{3}, {3}, {3}, {}})
	if want := []int32{3, 0, 1, 2}; !slices.Equal(g.sorted(), want) {
		t.Errorf("order is %v, want %v", g.sorted(), want)
	}
}

func TestGraphProblems(t *testing.T) {
	dep := func(uid UID, on ...UID) *Task {
		t := child(uid, "")
		t.DependsOn = on
		return t
	}
	s := NewSnapshot(Input{Tasks: []*Task{
		dep("a", "ghost", "ghost", "b", "b"), dep("b", "b"),
		dep("c", "d"), dep("d", "e"), dep("e", "c"), dep("f", "e", "d"),
	}})
	if got := s.uids(s.DependsOn(0)); !slices.Equal(got, []UID{"b"}) {
		t.Errorf("a depends on %v, want b once", got)
	}
	if got := s.DependentUIDs("ghost"); !slices.Equal(got, []UID{"a"}) {
		t.Errorf("dependents of the missing task are %v, want a", got)
	}
	if got := s.DependentUIDs("e"); !slices.Equal(got, []UID{"d", "f"}) {
		t.Errorf("dependents of e are %v, want d and f", got)
	}
	var got []string
	for _, p := range s.Problems() {
		got = append(got, string(p.UID)+" "+p.Code)
		if p.Severity != Warning || !strings.HasSuffix(p.Path, "/dependencies.json") || p.Hint == "" {
			t.Errorf("problem %+v says too little", p)
		}
		if p.Code == "cycle" && !strings.Contains(p.Reason, `"C" → "D" → "E" → "C"`) {
			t.Errorf("the cycle is not spelled out: %s", p.Reason)
		}
	}
	if want := []string{"a dangling-dependency", "b self-dependency", "c cycle"}; !slices.Equal(got, want) {
		t.Errorf("problems are %v, want %v", got, want)
	}
	for i, want := range []int{1, 1, 1, 1, 1, 0} {
		if n := len(s.ProblemsOf(i)); n != want {
			t.Errorf("%s has %d problems, want %d", s.At(i).UID, n, want)
		}
	}
	for i, want := range []Status{StatusCreated, StatusBlocked, StatusBlocked, StatusBlocked, StatusBlocked, StatusCreated} {
		if s.Status(i) != want {
			t.Errorf("%s is %q, want %q", s.At(i).UID, s.Status(i), want)
		}
	}
}
