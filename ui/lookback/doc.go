// Package lookback draws the statistics of a store and the timeline of one task, as lines of a given
// width.
//
//	stats.go     Stats: blocks of figures, side by side where there is room
//	timeline.go  Timeline: the life of a task as a bar and as a list
//
// It keeps nothing: the root shows the lines in a page, which scrolls them.
package lookback
