//go:build !unix

package tty

import "os"

// CanSuspend is false where there is no job control.
func CanSuspend() bool { return false }

var hangups []os.Signal
