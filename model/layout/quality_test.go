package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// linesCross counts the crossings of lines when each arc has its own line, which is how crossings of
// layered drawings are compared.
func linesCross(g Graph) int {
	c := newCanonical(g)
	c.breakCycles(nil)
	arcs := c.arcs()
	p := newProper(c, arcs, columns(c, arcs, nil), false)
	p.order(c, nil)
	return p.crossings()
}

// Of the North collection it is known how many crossings Graphviz dot needs; of generated graphs, how many
// were needed.
func TestCrossingsAreFew(t *testing.T) {
	goldenSums(t)
	all := north(t)
	if all == nil {
		return
	}
	own, shared, reduced, drawn, dot := 0, 0, 0, 0, 0
	for _, s := range all {
		dot += s.dot
		own += linesCross(s.g)
		l := New(s.g, Options{})
		shared += l.Crossings
		reduced += New(s.g, Options{Reduce: true}).Crossings
		for _, line := range l.Text(nameOf(s.g), Unicode()) {
			drawn += strings.Count(line, "┼")
		}
	}
	t.Logf("dot %d; a line for each edge %d (%.3f); lines of a source shared %d (%.3f), as drawn %d ┼ (%.3f); reduced %d",
		dot, own, float64(own)/float64(dot), shared, float64(shared)/float64(dot), drawn, float64(drawn)/float64(dot), reduced)
	if dot != 54138 {
		t.Errorf("dot's crossings are %d: another collection?", dot)
	}
	for _, n := range []int{own, shared, drawn} {
		if 100*n > 105*dot {
			t.Errorf("%d crossings are more than 1.05 × %d", n, dot)
		}
	}
}

// goldenSums checks the number of crossings and every byte of the drawings of generated graphs.
func goldenSums(t *testing.T) {
	t.Helper()
	for _, want := range []struct {
		reduce         bool
		own, crossings int
		sum            string
	}{
		{false, 437, 467, "ed50534351cd9eb4"},
		{true, 437, 234, "3c6a56ddabc413db"},
	} {
		h := sha256.New()
		own, crossings := 0, 0
		for seed := range uint64(24) {
			g := made(10+3*int(seed), seed)
			l := New(g, Options{Reduce: want.reduce})
			own += linesCross(g)
			crossings += l.Crossings
			for _, line := range l.Text(nameOf(g), Unicode()) {
				h.Write([]byte(line + "\n"))
			}
		}
		if sum := hex.EncodeToString(h.Sum(nil)[:8]); own != want.own || crossings != want.crossings || sum != want.sum {
			t.Errorf("reduced %v: %d crossings with own lines, %d with shared ones, drawings %s; they were %d, %d and %s",
				want.reduce, own, crossings, sum, want.own, want.crossings, want.sum)
		}
	}
}

// siblings is how many neighbors on one side are shown one by one; one label stands for the rest.
const siblings = 8

// around is the subgraph of a node and its neighbors, with labels of one width.
func around(g Graph, next [][]int, v, width int) Graph {
	at := map[int]int{v: 0}
	out := Graph{Nodes: []Node{{g.Nodes[v].ID, width}}}
	count := map[bool]int{}
	add := func(w int, right bool) {
		if _, ok := at[w]; ok {
			return
		}
		if count[right]++; count[right] <= siblings {
			at[w] = len(out.Nodes)
			out.Nodes = append(out.Nodes, Node{g.Nodes[w].ID, width})
		} else if count[right] == siblings+1 {
			rest, more := len(out.Nodes), Edge{0, len(out.Nodes)}
			if !right {
				more = Edge{rest, 0}
			}
			out.Nodes = append(out.Nodes, Node{fmt.Sprint("rest", right), width})
			out.Edges = append(out.Edges, more)
		}
	}
	for _, e := range next[v] {
		if x := g.Edges[e]; x.From == v {
			add(x.To, true)
		} else {
			add(x.From, false)
		}
	}
	for u := range at {
		for _, e := range next[u] {
			from, ok := at[g.Edges[e].From]
			to, also := at[g.Edges[e].To]
			if ok && also && g.Edges[e].From == u {
				out.Edges = append(out.Edges, Edge{from, to})
			}
		}
	}
	return out
}

func TestNeighborhoodsFitAScreen(t *testing.T) {
	graphs := []sample{{name: "200", g: made(200, 1)}, {name: "1000", g: made(1000, 2)}, {name: "10000", g: made(10000, 3)}}
	fit, all := 0, 0
	for _, s := range append(graphs, north(t)...) {
		next := make([][]int, len(s.g.Nodes))
		for e, x := range s.g.Edges {
			next[x.From] = append(next[x.From], e)
			next[x.To] = append(next[x.To], e)
		}
		for v := 0; v < len(s.g.Nodes); v += 1 + len(s.g.Nodes)/500 {
			all++
			for _, width := range []int{12, 10} { // labels are cut where they would be too wide
				if l := New(around(s.g, next, v, width), Options{Reduce: true}); l.Width <= 80 && l.Height <= 24 {
					fit++
					break
				}
			}
		}
	}
	t.Logf("%d of %d fit 80×24 (%.2f %%)", fit, all, 100*float64(fit)/float64(all))
	if 100*fit < 99*all {
		t.Errorf("%d of %d neighborhoods fit 80×24", fit, all)
	}
}
