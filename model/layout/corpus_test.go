package layout

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sample is a graph and the crossings that another program needs for it, 0 where not known.
type sample struct {
	name string
	g    Graph
	dot  int
}

// north is the North collection: DAGs of programs and projects, with the crossings of Graphviz dot.
// It is read where VESPE_DATA says it lies; nil when that is not set.
func north(t testing.TB) []sample {
	t.Helper()
	dir := os.Getenv("VESPE_DATA")
	if dir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, "north-dags.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		f := strings.Fields(sc.Text())
		if len(f) < 3 || f[0] == "#" {
			continue
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		s := sample{name: f[0], g: Graph{Nodes: someNodes(n)}}
		if s.dot, err = strconv.Atoi(f[2]); err != nil {
			t.Fatalf("%s: %v", f[0], err)
		}
		for _, w := range f[3:] {
			var e Edge
			if _, err := fmt.Sscanf(w, "%d>%d", &e.From, &e.To); err != nil {
				t.Fatalf("%s: %q: %v", f[0], w, err)
			}
			s.g.Edges = append(s.g.Edges, e)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		t.Fatal("no graph was read")
	}
	return out
}

// someNodes have identities as tasks do, and widths from 2 to 12.
func someNodes(n int) []Node {
	out := make([]Node, n)
	for v := range out {
		out[v] = Node{ID: fmt.Sprintf("n%03d", v), Width: 2 + (v*7)%11}
	}
	return out
}

// nameOf is a label of the width that the graph says.
func nameOf(g Graph) func(int) string {
	return func(v int) string { return strings.Repeat(string(rune('a'+v%26)), g.Nodes[v].Width) }
}

// made is a graph like a project's: most tasks depend on one to three that were made shortly before, some on
// old ones.
func made(n int, seed uint64) Graph {
	rng := rand.New(rand.NewPCG(seed, 7))
	g := Graph{Nodes: someNodes(n)}
	for v := 1; v < n; v++ {
		for range rng.IntN(4) {
			reach := 12
			if rng.IntN(12) == 0 {
				reach = v
			}
			g.Edges = append(g.Edges, Edge{v - 1 - rng.IntN(min(v, reach)), v})
		}
	}
	return g
}
