// Package outline is the task tree: where am I, in a store of any size.
//
// The tree is one flat slice of the rows that folds and filter leave visible, so moving
// the cursor is arithmetic, folding is one splice, and drawing touches only the rows on
// the screen. Everything that a person has set (folds, cursor, selection, scroll
// position) is known by uid and survives a new snapshot: what agents do shows up without
// moving anything under the reader's eyes.
//
// It is not a tea.Model: the root calls methods and draws View.
package outline
