// Package milestones is the left view of milestones: a row for each, with its progress as a bar
// and its due day. An unfolded one lists its tasks below. Tasks without a milestone come last.
//
// The cursor is on a milestone or on a task. It and the window stay when the snapshot changes.
// Only tasks of unfolded milestones are listed, and only visible rows are drawn.
package milestones
