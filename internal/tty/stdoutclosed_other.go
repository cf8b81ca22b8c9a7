//go:build !unix

package tty

// StdoutClosed is never closed here: there is no way to be told.
func StdoutClosed() <-chan struct{} { return nil }
