//go:build torture

package store

import "testing"

// TestTortureLinearizable is TestLinearizable with more processes that do more.
func TestTortureLinearizable(t *testing.T) { testLinearizable(t, 32, 500, 8) }

func TestTortureLinearizableIsNoticed(t *testing.T) { testLinearizableIsNoticed(t, 32, 500, 8) }
