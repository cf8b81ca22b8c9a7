//go:build !unix

package main

// outputGone is never closed here: there is no way to be told.
func outputGone() <-chan struct{} { return nil }
