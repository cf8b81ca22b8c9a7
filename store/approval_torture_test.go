//go:build torture

package store

import "testing"

// TestTortureBoundBytes is TestEveryBoundByteIsLookedAtBeforeAStart with every byte.
func TestTortureBoundBytes(t *testing.T) { testBoundBytes(t, 1) }

// TestTortureApprovals is TestNoApprovalOfUnseenBytes 2,500 times; TORTURE=full: ten thousand times.
func TestTortureApprovals(t *testing.T) { testUnseen(t, sized(2_500, 10_000)) }
