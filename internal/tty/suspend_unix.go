//go:build unix

package tty

import "golang.org/x/sys/unix"

// CanSuspend reports whether a shell would continue when the program is stopped. The kernel
// does not stop a process group that no other of its session is the parent of, as in
// `xterm -e vespe`: the workbench would then wait for ever to be continued.
func CanSuspend() bool {
	parent := unix.Getppid()
	ours, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	theirs, err := unix.Getsid(parent)
	if err != nil || theirs != ours {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}
