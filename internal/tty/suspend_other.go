//go:build !unix

package tty

// CanSuspend is false where there is no job control.
func CanSuspend() bool { return false }
