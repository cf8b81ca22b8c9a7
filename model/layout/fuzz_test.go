package layout

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzDrawing draws graphs of up to 60 nodes: from the first byte the number of nodes and whether it is
// reduced, then a width and how wide the runes are for each, then edges, two bytes each. The drawing reads
// back, in parts as well, and so does that of the graph with its last node gone, warm.
func FuzzDrawing(f *testing.F) {
	f.Add([]byte("\x05\x03\x04\x05\x83\x02\x00\x01\x01\x02\x02\x00\x03\x04\x04\x03"))
	f.Add([]byte("\x86\x01\x01\x01\x01\x01\x01\x00\x03\x01\x04\x02\x05\x00\x04\x01\x05\x02\x03\x00\x05\x01\x03\x02\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		n, reduce := 1+int(b[0]&0x7f)%60, b[0]&0x80 != 0
		if b = b[1:]; len(b) < n {
			return
		}
		g := Graph{Nodes: make([]Node, n)}
		labels := make([]string, n)
		for v := range n {
			width := 1 + int(b[v]&0x0f)
			wide := 0
			if b[v]&0x80 != 0 {
				wide = width / 2
			}
			labels[v] = strings.Repeat("界", wide) + strings.Repeat("x", width-2*wide)
			g.Nodes[v] = Node{ID: fmt.Sprint(v), Width: width}
		}
		for b = b[n:]; len(b) >= 2 && len(g.Edges) < 4*n; b = b[2:] {
			g.Edges = append(g.Edges, Edge{int(b[0]) % n, int(b[1]) % n})
		}
		label := func(v int) string { return labels[v] }
		l := New(g, Options{Reduce: reduce})
		verify(t, "cold", g, l, label)
		less := Graph{Nodes: g.Nodes[:n-1]}
		for _, e := range g.Edges {
			if max(e.From, e.To) < n-1 {
				less.Edges = append(less.Edges, e)
			}
		}
		after := New(less, Options{Reduce: reduce, Before: l})
		verify(t, "warm", less, after, label)
		if f, p := flips(l, after, n-1); f > 0 {
			t.Fatalf("%d of %d pairs changed their order", f, p)
		}
	})
}
