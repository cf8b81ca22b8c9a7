package depmap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vespe/internal/viewtest"
	"vespe/model"
	"vespe/ui/style"
)

func benchMap(n int) *Map {
	m := New(viewtest.Styles(style.Options{Dark: true}))
	m.Show(viewtest.Snapshot(viewtest.Large(n, 1)), viewtest.UID(n/2))
	m.View(100, 50)
	return m
}

// slowest reports the slowest of a hundred actions, in milliseconds.
func slowest(b *testing.B, unit string, act func(n int)) {
	var times []time.Duration
	for b.Loop() {
		for range 100 {
			start := time.Now()
			act(len(times))
			times = append(times, time.Since(start))
		}
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, unit)
	b.ReportMetric(0, "ns/op")
}

// A key that moves the cursor, with the frame after it.
func BenchmarkKeypress(b *testing.B) {
	press := func(m *Map) func(int) {
		return func(n int) {
			m.Move(1 - n%2*2)
			m.Follow(n%4 < 2)
			m.View(100, 50)
		}
	}
	b.Run("ratio", func(b *testing.B) { viewtest.Ratio(b, press(benchMap(100)), press(benchMap(100_000))) })
	b.Run("100k", func(b *testing.B) { slowest(b, "p99-ms≤16", press(benchMap(100_000))) })
}

// A key that makes another map of a store of 100,000 tasks, with the frame after it: around any
// task, so many edges far, and without end, which is as many nodes as a map ever has.
func BenchmarkEnter(b *testing.B) {
	for _, radius := range []int{1, 2, 4, 0} {
		b.Run(fmt.Sprintf("radius-%d", radius), func(b *testing.B) {
			m := benchMap(100_000)
			m.ask.radius = radius
			rng := rand.New(rand.NewPCG(5, 6))
			largest := 0
			slowest(b, "p99-ms≤16", func(int) {
				m.Reroot(viewtest.UID(rng.IntN(100_000)))
				m.View(100, 50)
				largest = max(largest, m.Len())
			})
			b.ReportMetric(float64(largest), "nodes")
		})
	}
}

// Another snapshot of a store of 100,000 tasks, in which the map has a task more or less.
func BenchmarkSnapshot(b *testing.B) {
	m := benchMap(100_000)
	m.Widen(2)
	t := m.snap.At(90_000).Clone()
	t.DependsOn = append(t.DependsOn, m.Root())
	now, next := m.snap, m.snap.With(2, "h", []*model.Task{t}, nil)
	slowest(b, "p99-ms≤16", func(int) {
		now, next = next, now
		m.SetSnapshot(now)
		m.View(100, 50)
	})
}
