//go:build torture

package store

import (
	"flag"
	"os"
	"testing"

	"vespe/internal/modeltest"
)

// TestTortureProperties has the properties hold for 400 stores each.
func TestTortureProperties(t *testing.T) {
	was := flag.Lookup(modeltest.RapidChecks).Value.String()
	must(t, flag.Set(modeltest.RapidChecks, "400"))
	t.Cleanup(func() { _ = flag.Set(modeltest.RapidChecks, was) })
	for name, property := range map[string]func(*testing.T){
		"edits interleaved": TestEditsInterleaved, "tasks come back": TestTasksComeBackAsTheLogHasThem,
		"looking at now": TestLookingAtNow, "random operations": TestRandomOperationsReopenAsTheyWere,
	} {
		t.Run(name, property)
	}
}

// TestTortureLinearizable is TestLinearizable with more processes that do more.
func TestTortureLinearizable(t *testing.T) { testLinearizable(t, sized(16, 32), sized(120, 500), 8) }

func TestTortureLinearizableIsNoticed(t *testing.T) {
	testLinearizableIsNoticed(t, sized(16, 32), sized(120, 500), 8)
}

// sized is how much of something a torture test does: all of it with TORTURE=full, else a part that takes minutes.
func sized(part, full int) int {
	if os.Getenv("TORTURE") == "full" {
		return full
	}
	return part
}

func TestTortureEveryCallMayFail(t *testing.T) { testEveryCallMayFail(t, true) }

// TestTorturePowerCut is TestPowerCut after every other step; TORTURE=full: after every step, with four images each.
func TestTorturePowerCut(t *testing.T) {
	testPowerCut(t, powerEffort{images: sized(1, 4), every: sized(2, 1), points: sized(11, 5), after: sized(5, 2)})
}

// TestTorturePowerCutIsNoticed is TestPowerCutIsNoticed with the rare ones, and a longer search for what nobody misses.
func TestTorturePowerCutIsNoticed(t *testing.T) { testPowerCutIsNoticed(t, someCuts, true) }

// TestTortureBoundBytes is TestEveryBoundByteIsLookedAtBeforeAStart with every byte.
func TestTortureBoundBytes(t *testing.T) { testBoundBytes(t, 1) }

// TestTortureApprovals is TestNoApprovalOfUnseenBytes 2,500 times; TORTURE=full: ten thousand times.
func TestTortureApprovals(t *testing.T) { testUnseen(t, sized(2_500, 10_000)) }
