// Package feed is the list of what happened in the whole store, the newest
// first, under a head for each day. It can be narrowed to what some actor did and to one kind of
// event, and by the filter of tasks.
//
// What happens while it is looked at comes in at the top. The cursor stays on its event, and the rows
// in view stay where they are unless the top is in view.
//
//	feed.go  Feed: state, journals, what the cursor is on
//	move.go  cursor, mouse, search
//	draw.go  heads and events
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package feed
