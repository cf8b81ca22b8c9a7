// Package runs is the view of all runs: live ones first, then those that wait for a person, then those
// that have ended, newest first.
//
//	runs.go  List: what is listed, and how it follows the store
//	draw.go  a row
//	move.go  the cursor
package runs
