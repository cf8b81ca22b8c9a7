//go:build torture

package store

import "testing"

// TestTorturePowerCut is TestPowerCut after every other step; TORTURE=full: after every step, with four images each.
func TestTorturePowerCut(t *testing.T) {
	testPowerCut(t, powerEffort{images: sized(1, 4), every: sized(2, 1), points: sized(11, 5), after: sized(5, 2)})
}

// TestTorturePowerCutIsNoticed is TestPowerCutIsNoticed with the rare ones, and a longer search for what nobody misses.
func TestTorturePowerCutIsNoticed(t *testing.T) { testPowerCutIsNoticed(t, someCuts, true) }
