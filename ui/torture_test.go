//go:build torture

package ui_test

import "testing"

// TestTortureRandomKeys is TestRandomKeys with more scripts.
func TestTortureRandomKeys(t *testing.T) { randomKeys(t, 400) }
