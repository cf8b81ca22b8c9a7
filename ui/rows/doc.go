// Package rows holds what every list of the workbench shares: a line built of styled
// spans, exactly as wide as it must be; the window that follows a cursor; and what a
// search finds.
//
// Lists draw only the rows that can be seen, so a line is built some fifty times a frame
// and never for the whole store.
//
//	line.go    Line: spans into one line of exact width, over a row's background
//	list.go    List: a list with a cursor; every view but board and map has it by embedding
//	pane.go    Pane: what the root tells every view
//	window.go  Window: which rows are seen; scrolling that never jumps
//	match.go   where a search's text occurs in a row
//	search.go  Search: search as you type, as every list but the tree has it by embedding
package rows
