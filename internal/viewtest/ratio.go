package viewtest

import (
	"testing"
	"time"
)

// Ratio measures how much dearer an action is on a large store than on a small one, in one
// run, and reports it as "×100tasks" beside the time on the large one. Each action is run
// with a counter, so that it can do something else every time.
func Ratio(b *testing.B, small, large func(n int)) {
	b.Helper()
	const warm = 50
	for n := range warm {
		small(n)
		large(n)
	}
	// The fastest of several rounds: what else runs on the machine only ever adds.
	per := func(f func(n int)) float64 {
		best := time.Duration(1<<63 - 1)
		for round := range 7 {
			start := time.Now()
			for n := range 40 {
				f(round*40 + n)
			}
			best = min(best, time.Since(start))
		}
		return float64(best) / 40
	}
	ratio := per(large) / per(small)
	n := 0
	for b.Loop() {
		large(n)
		n++
	}
	b.ReportMetric(ratio, "×100tasks")
}
