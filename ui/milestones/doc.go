// Package milestones is the left view of milestones: a row for each with its progress as a
// bar and the day on which it is due, and below one that is unfolded its tasks. What is in no
// milestone comes last, so that it can be put into one.
//
// The cursor is on a milestone or on a task. It stays there when the snapshot changes, and so
// does the window. Tasks are listed only where a milestone is unfolded, and drawn only where
// they are in view.
//
//	milestones.go  the View, what it shows, and what it is told
//	rows.go        which rows there are; keeping the place when they change
//	move.go        the cursor, folds, search, the mouse
//	draw.go        rows as lines
package milestones
