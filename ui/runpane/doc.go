// Package runpane is the right pane for a run under the cursor: its worker's actions, live, and their
// result. It reads nothing itself: Needs names what is missing, and the Set methods provide it.
package runpane
