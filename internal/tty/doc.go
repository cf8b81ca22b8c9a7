// Package tty is what the program asks of its terminal and its runtime: whether it can be suspended, a standard output
// that was closed, and when memory goes back to the system.
package tty
