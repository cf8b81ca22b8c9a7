// Package milestones is the left view of milestones: a row for each, with its progress as a bar
// and its due day. An unfolded one lists its tasks below. Tasks without a milestone come last.
//
// The cursor is on a milestone or on a task. It and the window stay when the snapshot changes.
// Only tasks of unfolded milestones are listed, and only visible rows are drawn.
//
//	milestones.go  the List, what it shows, and what it is told
//	rows.go        which rows there are; keeping the place when they change
//	move.go        the cursor, folds, search, the mouse
//	draw.go        rows as lines
package milestones
