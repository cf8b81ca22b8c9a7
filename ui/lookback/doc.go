// Package lookback shows the statistics of a store and the timeline of one task, in dialogs.
//
//	page.go      Open and OpenTimeline: the dialogs
//	stats.go     Stats: blocks of figures, side by side where there is room
//	timeline.go  Timeline: the life of a task as a bar and as a list
package lookback
