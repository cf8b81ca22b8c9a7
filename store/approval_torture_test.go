//go:build torture

package store

import "testing"

// TestTortureApprovals is TestNoApprovalOfUnseenBytes ten thousand times.
func TestTortureApprovals(t *testing.T) { testUnseen(t, 10_000) }
