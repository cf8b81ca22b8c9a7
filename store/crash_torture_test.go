//go:build torture

package store

import "testing"

// TestTorturePowerCut is TestPowerCut at every point.
func TestTorturePowerCut(t *testing.T) {
	testPowerCut(t, powerEffort{images: 4, every: 1, points: 3, after: 1})
}
