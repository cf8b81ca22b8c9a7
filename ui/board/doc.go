// Package board shows the tasks as cards in five columns, by what they wait for (board.Column).
//
// All columns are always on screen. Where they would be too narrow to read, the cursor's is wider than the others. Each
// column scrolls by itself. The cursor stays with its card's task, even in a new column.
//
// It is not a tea.Model: the root calls methods and draws View. Time comes in by SetNow.
package board
