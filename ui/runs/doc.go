// Package runs is the view of all runs: live ones first, then those that wait for a person, then those
// that have ended, newest first.
package runs
