//go:build unix

package proc

import (
	"errors"
	"syscall"
)

// maxEnviron is how much of an environment is looked at, in bytes.
const maxEnviron = 8 << 20

// signalGroup signals all processes of a group at once.
func signalGroup(group int, sig syscall.Signal) {
	if group > 1 {
		_ = syscall.Kill(-group, sig) // it may be empty
	}
}

// groupLives reports whether somebody is in a group who can be signaled.
func groupLives(group int) bool {
	err := syscall.Kill(-group, 0)
	return err == nil || !errors.Is(err, syscall.ESRCH) && !errors.Is(err, syscall.EPERM)
}
