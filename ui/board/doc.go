// Package board shows the tasks as cards in a column for each status, in the order of
// model.BoardOrder.
//
// A folded or empty column is a strip with its sign and its count. If not all columns fit, the
// window moves by whole columns, and its edges count the columns outside. Each column scrolls by
// itself. The cursor stays with its card's task, even in a new column.
//
//	board.go  Board: state, snapshots, what the cursor is on
//	move.go   cursor, folds, mouse
//	find.go   search
//	place.go  which columns are drawn, and how wide
//	draw.go   heads and cards
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package board
