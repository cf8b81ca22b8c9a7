package layout

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"
)

// directed is the drawn or plain edges of a graph, for gonum.
func directed(n int, pairs []Edge) *simple.DirectedGraph {
	d := simple.NewDirectedGraph()
	for v := range n {
		d.AddNode(simple.Node(v))
	}
	for _, e := range pairs {
		d.SetEdge(d.NewEdge(simple.Node(e.From), simple.Node(e.To)))
	}
	return d
}

func TestComponentsAreThoseOfGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		c := newCanonical(g)
		out := c.rowsOf(Drawn)
		comp, count := Components(c.n, out.of)
		var edges []Edge
		for _, p := range c.pairs {
			edges = append(edges, Edge{p.from, p.to})
		}
		want := topo.TarjanSCC(directed(c.n, edges))
		if len(want) != count {
			t.Fatalf("%d components, gonum has %d", count, len(want))
		}
		for _, set := range want {
			for _, v := range set {
				if comp[v.ID()] != comp[set[0].ID()] {
					t.Fatalf("%d and %d are in one component", v.ID(), set[0].ID())
				}
			}
		}
	})
}

func TestWhatIsDrawnHasNoCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		l := New(g, Options{})
		var plain []Edge
		for e, x := range g.Edges {
			p, q := l.Place(x.From), l.Place(x.To)
			switch s := l.State(e); {
			case s == Drawn && p.Col >= q.Col, s == Turned && p.Col <= q.Col, s == Loop && x.From != x.To:
				t.Fatalf("edge %v is %v, from column %d to %d", x, s, p.Col, q.Col)
			case s == Drawn:
				plain = append(plain, x)
			}
		}
		d := directed(len(g.Nodes), plain)
		if _, err := topo.Sort(d); err != nil {
			t.Fatalf("the plain edges have a cycle: %v", err)
		}
		for e, x := range g.Edges {
			if l.State(e) == Turned && !topo.PathExistsIn(d, simple.Node(x.To), simple.Node(x.From)) {
				t.Fatalf("edge %v was turned round, and closes no cycle", x)
			}
		}
	})
}

func TestReductionIsTheTransitiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		raw, reduced := States(g, false), States(g, true)
		var plain, kept []Edge
		for e, x := range g.Edges {
			if raw[e] == Drawn {
				plain = append(plain, x)
			}
			if reduced[e] == Drawn {
				kept = append(kept, x)
			} else if reduced[e] != Redundant && reduced[e] != raw[e] {
				t.Fatalf("edge %v was %v and is %v", x, raw[e], reduced[e])
			}
		}
		before, after := directed(len(g.Nodes), plain), directed(len(g.Nodes), kept)
		for v := range g.Nodes {
			for w := range g.Nodes {
				if v != w && topo.PathExistsIn(before, simple.Node(v), simple.Node(w)) != topo.PathExistsIn(after, simple.Node(v), simple.Node(w)) {
					t.Fatalf("a way from %d to %d came or went", v, w)
				}
			}
		}
		for _, e := range kept { // none could go as well
			after.RemoveEdge(int64(e.From), int64(e.To))
			if topo.PathExistsIn(after, simple.Node(e.From), simple.Node(e.To)) {
				t.Fatalf("edge %v is redundant, and was kept", e)
			}
			after.SetEdge(after.NewEdge(simple.Node(e.From), simple.Node(e.To)))
		}
	})
}

func TestColumnsMakeEdgesAsShortAsCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		g := Graph{Nodes: someNodes(n)}
		for v := range n {
			for w := range v {
				if rapid.Bool().Draw(t, "edge") {
					g.Edges = append(g.Edges, Edge{w, v})
				}
			}
		}
		c := newCanonical(g)
		arcs := c.arcs()
		rank := make([]int, n)
		least := 1 << 30
		var try func(v int)
		try = func(v int) {
			if v == n {
				least = min(least, length(arcs, rank))
				return
			}
			from := 0
			for _, a := range arcs {
				if a.head == v {
					from = max(from, rank[a.tail]+1)
				}
			}
			for rank[v] = from; rank[v] < n; rank[v]++ {
				try(v + 1)
			}
		}
		try(0)
		if got := columns(c, arcs, nil); length(arcs, got) != least {
			t.Fatalf("columns %v: length %d, could be %d", got, length(arcs, got), least)
		}
	})
}

func TestCrossingsAreCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		c := newCanonical(g)
		c.breakCycles(nil)
		arcs := c.arcs()
		p := newProper(c, arcs, columns(c, arcs, nil), rapid.Bool().Draw(t, "shared"))
		p.order(c, nil)
		want := 0
		for _, layer := range p.layers {
			for i, a := range layer {
				for _, b := range layer[:i] {
					for _, x := range p.next.of(a) {
						for _, y := range p.next.of(b) {
							if p.pos[x] < p.pos[y] {
								want++
							}
						}
					}
				}
			}
			for i, v := range layer {
				if p.pos[v] != i {
					t.Fatalf("%d stands at %d, and is said to be at %d", v, i, p.pos[v])
				}
			}
		}
		if got := p.crossings(); got != want {
			t.Fatalf("%d crossings, counted %d", want, got)
		}
		for r, layer := range p.layers {
			layer = slices.Clone(layer)
			slices.Sort(layer)
			if len(slices.Compact(layer)) != len(p.layers[r]) {
				t.Fatalf("column %d has a vertex twice", r)
			}
		}
	})
}
