package layout

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// corpus is the North collection where it is known, and else graphs of as many nodes.
func corpus(t testing.TB, generated int) []sample {
	if all := north(t); all != nil {
		return all
	}
	var out []sample
	for k := range generated {
		out = append(out, sample{name: "made", g: made(10+k*90/generated, uint64(k))})
	}
	return out
}

func TestTheCharactersReadBackAsTheEdges(t *testing.T) {
	graphs := corpus(t, 30)
	for _, s := range graphs {
		for _, reduce := range []bool{false, true} {
			verify(t, s.name, s.g, New(s.g, Options{Reduce: reduce}), nameOf(s.g))
		}
	}
	t.Logf("%d graphs read back, raw and reduced", len(graphs))
}

// anyGraph has cycles, loops, repeated edges and wide labels.
func anyGraph(t *rapid.T) (Graph, []string) {
	n := rapid.IntRange(1, 30).Draw(t, "n")
	g := Graph{Nodes: make([]Node, n)}
	labels := make([]string, n)
	ids := rapid.Permutation(someNodes(n)).Draw(t, "ids")
	for v := range n {
		k := rapid.IntRange(1, 8).Draw(t, "width")
		wide := rapid.IntRange(0, k/2).Draw(t, "wide")
		labels[v] = strings.Repeat("世", wide) + strings.Repeat("x", k-2*wide)
		g.Nodes[v] = Node{ID: ids[v].ID, Width: k}
	}
	for range rapid.IntRange(0, 3*n).Draw(t, "m") {
		e := Edge{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")}
		if rapid.IntRange(0, 4).Draw(t, "cyclic") > 0 && e.From > e.To {
			e.From, e.To = e.To, e.From
		}
		g.Edges = append(g.Edges, e)
	}
	return g, labels
}

func TestAnyGraphReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, labels := anyGraph(t)
		label := func(v int) string { return labels[v] }
		l := New(g, Options{Reduce: rapid.Bool().Draw(t, "reduce")})
		verify(t, "generated", g, l, label)
		// The same again, from a layout of a part of it.
		part := Graph{Nodes: g.Nodes[:rapid.IntRange(0, len(g.Nodes)).Draw(t, "part")]}
		for _, e := range g.Edges {
			if max(e.From, e.To) < len(part.Nodes) && rapid.IntRange(0, 5).Draw(t, "has") > 0 {
				part.Edges = append(part.Edges, e)
			}
		}
		verify(t, "warm", g, New(g, Options{Reduce: rapid.Bool().Draw(t, "reduce"), Before: New(part, Options{})}), label)
	})
}

// shuffled is a graph with its nodes and edges in another order, and where each node went.
func shuffled(g Graph, rng *rand.Rand) (Graph, []int) {
	at := rng.Perm(len(g.Nodes))
	out := Graph{Nodes: make([]Node, len(g.Nodes))}
	for v, n := range g.Nodes {
		out.Nodes[at[v]] = n
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, Edge{at[e.From], at[e.To]})
	}
	rng.Shuffle(len(out.Edges), func(i, j int) { out.Edges[i], out.Edges[j] = out.Edges[j], out.Edges[i] })
	return out, at
}

func TestTheOrderOfTheInputDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range corpus(t, 12) {
		name := nameOf(s.g)
		cyclic := s.g
		for range 3 {
			cyclic.Edges = append(slices.Clip(cyclic.Edges), Edge{rng.IntN(len(s.g.Nodes)), rng.IntN(len(s.g.Nodes))})
		}
		for _, g := range []Graph{s.g, cyclic} {
			want := New(g, Options{Reduce: true}).Text(name, Unicode())
			other, at := shuffled(g, rng)
			back := make([]int, len(at))
			for v, k := range at {
				back[k] = v
			}
			got := New(other, Options{Reduce: true}).Text(func(k int) string { return name(back[k]) }, Unicode())
			if !slices.Equal(got, want) {
				t.Fatalf("%s: shuffled it is\n%s\nand was\n%s", s.name, picture(got), picture(want))
			}
		}
	}
}
