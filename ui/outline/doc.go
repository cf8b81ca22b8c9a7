// Package outline is the task tree: where am I, in a store of any size.
//
// The tree is one flat slice of the rows that folds and filter leave visible, so moving
// the cursor is arithmetic, folding is one splice, and drawing touches only the rows on
// the screen. Everything that a person has set (folds, cursor, selection, scroll
// position) is known by uid and survives a new snapshot: what agents do shows up without
// moving anything under the reader's eyes.
//
//	outline.go  Outline: its state, snapshots, what the cursor is on
//	flatten.go  from snapshot, folds and filter to rows
//	fold.go     fold, unfold, levels
//	move.go     the cursor, the window, the mouse
//	mark.go     selection and ranges
//	filter.go   matches and the ancestors that give them context
//	search.go   search as you type
//	draw.go     one row
//
// It is not a tea.Model: the root calls methods and draws View.
package outline
