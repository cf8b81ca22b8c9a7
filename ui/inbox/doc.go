// Package inbox is the list of everything that waits for a person, grouped by
// kind: requests, escalations, plans to review, finished work, changed tasks, problems.
// The item that blocks most comes first in its group.
//
//	inbox.go  Inbox: state, snapshots, what the cursor is on
//	move.go   cursor, mouse, search
//	hold.go   the row of a task that has left the inbox under the cursor
//	draw.go   headers and items
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package inbox
