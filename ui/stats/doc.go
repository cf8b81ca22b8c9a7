// Package stats shows the statistics of a store and the timeline of one task, in dialogs.
package stats
