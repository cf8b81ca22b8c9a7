//go:build !unix

package main

import "os"

// canSuspend is false where there is no job control.
func canSuspend() bool { return false }

var hangups []os.Signal
