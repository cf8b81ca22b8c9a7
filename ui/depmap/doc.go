// Package depmap is the map: the dependencies around one task as columns of names, what it
// needs on the left and what needs it on the right. Package taskmap decides what the map
// shows, and model/layout where.
//
// The map never jumps. New tasks or edges, a larger radius, filters and folds keep the shown
// nodes in their columns and their order (layout.Options.Before). The node under the cursor
// keeps its place on screen, and the window moves only when the cursor would leave it. A new
// root makes a new map, and the way back restores the earlier one.
//
// A map of one edge is made to fit the window. First names become shorter, then fewer
// neighbors are shown one by one (fit in label.go). For 99.6 of 100 tasks of the North
// collection it fits, in the pane of a terminal of 80×24.
//
// Where the drawing continues beyond the window, a sign at the border counts the lines that
// cross it, or the tasks there if no line does. A click on it goes there.
//
// A frame costs only what is in the window, and so does a move of the cursor. The layout is
// computed when the content changes.
//
// It is not a tea.Model: the root calls methods and draws View.
package depmap
