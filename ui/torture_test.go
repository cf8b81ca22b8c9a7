//go:build torture

package ui_test

import "testing"

// TestTortureHostileText is TestHostileTextStaysText on more rows, of every kind of task.
func TestTortureHostileText(t *testing.T) { hostileText(t, 5, 7) }

// TestTortureRandomKeys is TestRandomKeys with more scripts.
func TestTortureRandomKeys(t *testing.T) { randomKeys(t, 400) }
