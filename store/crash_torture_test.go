//go:build torture

package store

import "testing"

// TestTorturePowerCut is TestPowerCut after every step, with more images.
func TestTorturePowerCut(t *testing.T) {
	testPowerCut(t, powerEffort{images: 4, every: 1, points: 5, after: 2})
}
