//go:build !unix

package main

// canSuspend is false where there is no job control.
func canSuspend() bool { return false }
