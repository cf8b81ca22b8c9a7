// Package depmap is the map: the dependencies around one task as columns of names from left
// to right, what it needs on the left and what needs it on the right. What the
// map shows is model.Snapshot.Map, and where it stands is model/layout.
//
// The map never jumps. A snapshot with other tasks or edges, a larger radius and what is let
// out or folded leave what is shown in its columns and in its order (layout.Options.Before),
// and the node under the cursor on its place of the screen; the window moves only when the
// cursor would leave it. Another root makes another map, and the way back brings the earlier
// one as it was.
//
// A map of one edge is made to fit the window: names are as short as they must be, and then fewer
// neighbours are shown one by one (fit in label.go). Of the tasks of the North collection 99.6 of 100 have
// one that fits, in the pane that a terminal of 80×24 leaves.
//
// Where the drawing goes on beyond the window, a sign at the border says how many lines cross
// it, or how many tasks lie there when none does; a click on it goes there.
//
// A frame costs what is in the window, and a key that moves the cursor no more than that: the
// map is laid out when what it shows is another.
//
//	depmap.go  Map: state, snapshots, what is under the cursor
//	modes.go   which tasks are shown: extents, radius, groups, folds; the way back
//	build.go   from a snapshot to the layout, and what stays where it was
//	move.go    the cursor, along edges and in columns; the window; the mouse
//	find.go    search as you type
//	draw.go    the frame: rows, edges, signs at the borders
//	facts.go   what is said above and below it
//	label.go   what a node looks like
//
// It is not a tea.Model: the root calls methods and draws View.
package depmap
