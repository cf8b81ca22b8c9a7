//go:build torture

package store

import (
	"os"
	"testing"
)

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
