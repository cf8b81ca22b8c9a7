// Package feed is the list of all events in the store, newest first, under a head for each day.
// Filters narrow it to an actor, a kind of event, or the filter of tasks.
//
// New events appear at the top. The cursor stays on its event. The visible rows stay in place
// unless the top is visible.
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package feed
