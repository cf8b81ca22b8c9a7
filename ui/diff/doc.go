// Package diff compares two texts and draws what differs: lines, and in lines that were
// changed the words. It reads nothing and knows no keys; what lies on top of the workbench and
// what stands in a page draw the same Sheet.
//
//	compare.go  Comparison: rows that are equal, changed, on one side only; gaps
//	notes.go    what stands under lines of either text, and labels over differences
//	changes.go  Change: a difference as the new text alone shows it
//	pick.go     Spot, Picked: what a reader's cursor is on, and the lines that are chosen
//	sheet.go    Sheet: the rows wrapped for a width, in one column or two
package diff
