// Package board shows the tasks as cards in five columns, by what they wait for (board.Column).
//
// All columns are always on screen. Where they would be too narrow to read, the cursor's is wider than the others. Each
// column scrolls by itself. The cursor stays with its card's task, even in a new column.
//
//	board.go  Board: state, snapshots, what the cursor is on
//	move.go   cursor, mouse
//	find.go   search
//	place.go  how wide the columns are
//	draw.go   heads and cards
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package board
