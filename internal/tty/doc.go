// Package tty is what the program asks of its terminal and its runtime beyond what Bubble Tea does: job control and
// hangups, a standard output that was closed, how often the screen is drawn, and when memory goes back to the system.
package tty
