// Package runpane is the right pane for a run under the cursor: its worker's actions, live, and their
// result. It reads nothing itself: Needs names what is missing, and the Set methods provide it.
//
//	pane.go      Pane: the run, its tabs, what they need
//	head.go      what stands above every tab: the run in a line, its phases, its criteria
//	log.go       the events of a run as entries: a call and its result are one
//	logdraw.go   an entry, folded and unfolded
//	evidence.go  what verification found, check by check and criterion by criterion
//	pages.go     the prompt, the patch, the attempts at the task
//	stack.go     items of any height with a cursor, of which only those in view are drawn
package runpane
