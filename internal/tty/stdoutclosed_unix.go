//go:build unix

package tty

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// StdoutClosed is closed once nobody has the other end of standard output open. A program that only waits does
// not learn of that by itself: a client that is killed takes nothing along that it has started.
func StdoutClosed() <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		fds := []unix.PollFd{{Fd: int32(os.Stdout.Fd())}} //nolint:gosec // a file descriptor is small
		for {
			n, err := unix.Poll(fds, -1) // what ended is told without being asked for
			switch {
			case errors.Is(err, unix.EINTR) || err == nil && n == 0:
			case err == nil && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				close(gone)
				return
			default:
				return
			}
		}
	}()
	return gone
}
