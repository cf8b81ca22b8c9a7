// Package board shows the tasks as cards in columns, one a status, in the order of
// model.BoardOrder.
//
// A column that is folded, or has no card, is a strip with its sign and its count. Where not all
// columns fit beside each other the window goes over them a whole column at a time, and the
// columns outside of it are counted at its edges. Each column scrolls by itself. The cursor is on
// a card and stays with its task, also when that goes to another column.
//
//	board.go  Board: state, snapshots, what the cursor is on
//	move.go   cursor, folds, mouse
//	find.go   search
//	place.go  which columns are drawn, and how wide
//	draw.go   heads and cards
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package board
