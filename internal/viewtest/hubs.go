package viewtest

import (
	"strings"
	"testing"

	"vespe/internal/worsttest"
	"vespe/model"
	"vespe/model/snapshot"
)

// hubEdge is how many bytes of a worst text stand for a dependency.
const hubEdge = 64

// Hubs runs draw on stores in which tasks have thousands of dependencies or dependents, of sizes like those of the worst
// texts. hub is the task with most of them.
func Hubs(t *testing.T, draw func(s *snapshot.Snapshot, hub model.UID)) {
	t.Helper()
	for name, deps := range map[string]func(k, n int) []int{
		"all depend on one":          func(k, _ int) []int { return upTo(min(k, 1)) },
		"one depends on all":         func(k, n int) []int { return upTo(k * (k / (n - 1))) },
		"one between halves":         func(k, n int) []int { return between(k, n/2) },
		"all depend on a few":        func(k, _ int) []int { return upTo(min(k, 8)) },
		"each on the one before too": func(k, _ int) []int { return ladder(k) },
	} {
		size := worsttest.Repeat(name, strings.Repeat("x", hubEdge))
		worsttest.Check(t, []worsttest.Shape{size}, func(body string) {
			n := max(4, len(body)/hubEdge)
			seeds := make([]Seed, n)
			for k := range seeds {
				seeds[k] = Seed{Name: "task", Parent: -1, Deps: deps(k, n)}
			}
			hub := 0
			switch name {
			case "one depends on all":
				hub = n - 1
			case "one between halves":
				hub = n / 2
			}
			draw(Snapshot(seeds), UID(hub))
		})
	}
}

func upTo(n int) (out []int) {
	for k := range n {
		out = append(out, k)
	}
	return out
}

func between(k, middle int) []int {
	switch {
	case k == middle:
		return upTo(middle)
	case k > middle:
		return []int{middle}
	}
	return nil
}

func ladder(k int) []int {
	if k < 2 {
		return upTo(k)
	}
	return []int{0, k - 1}
}
