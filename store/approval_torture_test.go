//go:build torture

package store

import "testing"

// TestTortureApprovals is TestNoApprovalOfUnseenBytes 2,500 times; TORTURE=full: ten thousand times.
func TestTortureApprovals(t *testing.T) { testUnseen(t, sized(2_500, 10_000)) }
