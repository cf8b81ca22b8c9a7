package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// grown is a graph with one more node, which depends on one and, mostly, is depended on by another.
func grown(g Graph, l *Layout, rng *rand.Rand) Graph {
	n := len(g.Nodes)
	out := Graph{Nodes: append(g.Nodes[:n:n], Node{ID: fmt.Sprintf("m%03d", rng.IntN(1000)), Width: 6}), Edges: g.Edges[:len(g.Edges):len(g.Edges)]}
	a := rng.IntN(n)
	out.Edges = append(out.Edges, Edge{a, n})
	for range 20 {
		if b := rng.IntN(n); l.Place(b).Col > l.Place(a).Col {
			out.Edges = append(out.Edges, Edge{n, b})
			break
		}
	}
	return out
}

// flips counts pairs of nodes that stand in one column in both layouts, but in another order, and all such pairs.
func flips(a, b *Layout, nodes int) (flips, pairs int) {
	for v := range nodes {
		for w := range v {
			p, q, x, y := a.Place(v), a.Place(w), b.Place(v), b.Place(w)
			if p.Col == q.Col && x.Col == y.Col {
				pairs++
				if (p.Rank < q.Rank) != (x.Rank < y.Rank) {
					flips++
				}
			}
		}
	}
	return flips, pairs
}

func TestOneMoreNodeChangesNoOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, reduce := range []bool{false, true} {
		warm, cold, moved, nodes, pairs := 0, 0, 0, 0, 0
		for _, s := range corpus(t, 16) {
			if len(s.g.Nodes) < 20 {
				continue
			}
			before := New(s.g, Options{Reduce: reduce})
			g := grown(s.g, before, rng)
			after := New(g, Options{Reduce: reduce, Before: before})
			f, p := flips(before, after, len(s.g.Nodes))
			if f > 0 {
				t.Fatalf("%s: %d of %d pairs changed their order", s.name, f, p)
			}
			pairs += p
			warm += after.Crossings
			cold += New(g, Options{Reduce: reduce}).Crossings
			for v := range s.g.Nodes {
				nodes++
				if before.Place(v).Col != after.Place(v).Col {
					moved++
				}
			}
		}
		t.Logf("reduced %v: %d crossings, %d from scratch (%.3f); %d of %d nodes in other columns; %d pairs", reduce, warm, cold, float64(warm)/float64(cold), moved, nodes, pairs)
		if 100*warm > 110*cold {
			t.Errorf("reduced %v: %d crossings, more than 1.10 × %d", reduce, warm, cold)
		}
	}
}

func TestTheSameGraphAgainLooksTheSame(t *testing.T) {
	for _, s := range corpus(t, 30) {
		l := New(s.g, Options{})
		want, name := l.Text(nameOf(s.g), Unicode()), nameOf(s.g)
		if got := New(s.g, Options{Before: l}).Text(name, Unicode()); !slices.Equal(got, want) {
			t.Fatalf("%s: it is\n%s\nand was\n%s", s.name, picture(got), picture(want))
		}
	}
}

func TestEdgesThatGoChangeNoOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range corpus(t, 30) {
		l := New(s.g, Options{})
		less := Graph{Nodes: s.g.Nodes}
		for _, e := range s.g.Edges {
			if rng.IntN(4) > 0 {
				less.Edges = append(less.Edges, e)
			}
		}
		if f, p := flips(l, New(less, Options{Before: l}), len(s.g.Nodes)); f > 0 {
			t.Fatalf("%s: %d of %d pairs changed their order", s.name, f, p)
		}
	}
}

func TestWhatJoinsChangesNoOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := anyGraph(t)
		before := New(g, Options{})
		more := Graph{Nodes: append(g.Nodes[:len(g.Nodes):len(g.Nodes)], Node{ID: "zz", Width: 3}), Edges: g.Edges[:len(g.Edges):len(g.Edges)]}
		for range 3 {
			more.Edges = append(more.Edges, Edge{rapid.IntRange(0, len(g.Nodes)).Draw(t, "from"), rapid.IntRange(0, len(g.Nodes)).Draw(t, "to")})
		}
		after := New(more, Options{Before: before})
		if f, _ := flips(before, after, len(g.Nodes)); f > 0 {
			t.Fatalf("%d pairs changed their order", f)
		}
	})
}

func TestWhatIsTurnedStaysSo(t *testing.T) {
	g := Graph{Nodes: someNodes(5), Edges: []Edge{{0, 1}, {1, 2}, {2, 0}}}
	before := New(g, Options{})
	// Two more nodes, and with them a second cycle, of which other edges could be turned.
	g.Edges = append(g.Edges, Edge{3, 0}, Edge{0, 4}, Edge{4, 3}, Edge{1, 3})
	after := New(g, Options{Before: before})
	for e := range 3 {
		if before.State(e) != after.State(e) {
			t.Errorf("edge %v is %v, and was %v", g.Edges[e], after.State(e), before.State(e))
		}
	}
}
