package layout

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkLayout is what it takes to lay out graphs of up to 200 nodes and draw a screen of them: the
// North collection where it is known, and generated ones.
func BenchmarkLayout(b *testing.B) {
	graphs := corpus(b, 100)
	for seed := range uint64(60) {
		graphs = append(graphs, sample{g: made(200, seed)})
	}
	for _, bench := range []struct {
		name    string
		options func(before *Layout) Options
	}{
		{"raw", func(*Layout) Options { return Options{} }},
		{"reduced", func(*Layout) Options { return Options{Reduce: true} }},
		{"again", func(before *Layout) Options { return Options{Before: before} }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				for _, s := range graphs {
					var before *Layout
					if bench.name == "again" {
						less := s.g
						less.Nodes = less.Nodes[:len(less.Nodes)-1]
						less.Edges = slices.DeleteFunc(slices.Clone(less.Edges), func(e Edge) bool { return max(e.From, e.To) >= len(less.Nodes) })
						before = New(less, Options{})
					}
					least := time.Hour // of three: something else may run on the processor
					for range 3 {
						start := time.Now()
						l := New(s.g, bench.options(before))
						l.Draw(Rect{W: 200, H: 60}, Unicode())
						least = min(least, time.Since(start))
					}
					times = append(times, least)
				}
			}
			slices.Sort(times)
			ms := func(part int) float64 { return float64(times[len(times)*part/100].Microseconds()) / 1000 }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(50), "ms-p50")
			b.ReportMetric(ms(99), "ms-p99≤20")
		})
	}
}
