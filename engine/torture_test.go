//go:build torture

package engine

import "testing"

// A loop of 60 tasks with two workers, killed 20 times.
func TestTortureALoopThatIsKilled(t *testing.T) { killLoops(t, 60, 20) }
