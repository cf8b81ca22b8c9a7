//go:build torture

package engine

import (
	"syscall"
	"testing"
)

// A loop of 60 tasks with two workers, killed 20 times.
func TestTortureALoopThatIsKilled(t *testing.T) { killLoops(t, 60, 20) }

// TestTortureTheEndOfVespe is TestTheEndOfVespeUsesUpNoAttempt with more ways to end.
func TestTortureTheEndOfVespe(t *testing.T) {
	all := []string{"__loop", "__guard", "__worker"}
	endVespe(t, []ending{
		{"vespe hangs up", syscall.SIGHUP, all[:1]},
		{"vespe is terminated", syscall.SIGTERM, all[:1]},
		{"vespe and the guard are killed", syscall.SIGKILL, all[:2]},
		{"all are killed", syscall.SIGKILL, all},
		{"all are terminated", syscall.SIGTERM, all},
	})
}
