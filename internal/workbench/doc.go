// Package workbench runs the terminal program ui on a store: it gives it the editor, the shell, the loop's processes,
// the search and the drafts, and tells Bubble Tea how often to draw. Start reading at Open.
package workbench
