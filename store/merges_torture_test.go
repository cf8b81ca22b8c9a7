//go:build torture

package store

import (
	"fmt"
	"testing"
)

// TestTortureClonesMerge is TestClonesMerge for 2,000 rounds: 40 teams of two and three.
func TestTortureClonesMerge(t *testing.T) {
	for seed := range 40 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			tm := newTeam(t, uint64(seed)+100, 2+seed%2, 20)
			for range 5 {
				tm.rounds(10, 6)
				tm.everyone()
				tm.check()
			}
		})
	}
}
