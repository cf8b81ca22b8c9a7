package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fewest is how many lines of either text must differ, by the longest sequence that they
// have in common.
func fewest(old, now []string) int {
	row := make([]int, len(now)+1)
	for _, a := range old {
		diagonal := 0
		for j, b := range now {
			above := row[j+1]
			if a == b {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j], above)
			}
			diagonal = above
		}
	}
	return len(old) + len(now) - 2*row[len(now)]
}

// revised is a plan of n lines and what it is after k edits of lines here and there.
func revised(r *rand.Rand, n, k int) (old, now []string) {
	for i := range n {
		switch r.IntN(4) {
		case 0:
			old = append(old, "")
		case 1:
			old = append(old, "- [ ] test it")
		default:
			old = append(old, fmt.Sprintf("step %d: do thing %d", i, r.IntN(50)))
		}
	}
	now = slices.Clone(old)
	for i := range k {
		switch at := r.IntN(max(1, len(now))); min(r.IntN(3), 2*len(now)) {
		case 0:
			now = slices.Insert(now, at, fmt.Sprintf("new %d", i), "")
		case 1:
			now[at] = fmt.Sprintf("changed %d", i)
		default:
			now = slices.Delete(now, at, at+1)
		}
	}
	return old, now
}

// However many places were edited, the comparison finds about as few changed lines as there
// are: it does not give up on texts that differ a lot.
func TestCompareFindsFewChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		old, now := revised(r, rapid.IntRange(1, 900).Draw(t, "lines"), rapid.IntRange(0, 300).Draw(t, "edits"))
		c := Compare(strings.Join(old, "\n"), strings.Join(now, "\n")).Folded()
		added, taken := c.Changes()
		if got, least := added+taken, fewest(old, now); float64(got) > 1.2*float64(least)+2 {
			t.Fatalf("%d lines are changed where %d would do", got, least)
		}
	})
}
