// Package history is what happened to tasks, as their events tell it: to one of them, and to all in a store.
// Like the model it is pure: it is given events and a snapshot, and the moment that counts as now.
//
// # Life
//
// Life folds the events of one task, one after the other, into what status.json held after each. Events
// say less than files: whether a dependency is done, or the terms of an acceptance have changed, no event
// of the task itself tells. Its Word is therefore the status that a task has by itself.
//
// # Journal
//
// A Chronicle keeps of each event of one task what lists and sums need, its Moments, and the statuses
// that they led to, its Stages. A Journal is the chronicles of a whole store, and their moments by time. It
// never changes: With makes the next one when the log has moved on. Pack writes it as bytes, so that the next
// process reads only what is newer. Around makes a small one, of one task and what it depends on.
//
// # What is made of it
//
// Activity lists moments, the newest first, through a Sieve. Spans are the statuses of a task by time, with
// the times that it was blocked, which come from the chronicles of what it depends on. A Timeline is the
// spans of one task with what happened in each, and Stats sums up those of many.
package history
