// Package detail is the right pane of the workbench: everything about one task, in five
// tabs.
//
//	overview   what it is, what it waits for and why, its facts, the tasks around it
//	objective  the text, rendered or as it is in the file
//	plan       the same, with what was decided on it
//	history    every event, the newest first; one unfolds to all that it says and what it changed
//	result     the files that others may use, and a look into them
//
// The pane reads nothing. The overview comes from the snapshot alone; for the others Needs
// says what is missing, the root reads it and hands it over. What is on screen stays until
// the newer text is there. Key labels come in through a function, so that an empty place can
// say which key fills it.
//
//	detail.go     Detail, its tabs, what it is given and what it needs
//	view.go       drawing, moving, opening, clicking
//	page.go       pages of rows with a cursor; find.go the search in them
//	overview.go   the overview: title, why, troubles; overfacts.go the rest of it
//	layout.go     its building blocks
//	docpane.go    objective and plan, and what empty places say
//	comments.go   what is said about them, between their lines; commentdraw.go how it looks
//	contents.go   headings beside a text, and what of it has been on screen
//	changes.go    what changed since an earlier revision, in the gutter
//	leftout.go    what an acceptance left out of a plan
//	changeset.go  the texts of a task and of those below it on one page; changesethead.go what
//	              stands above them, changesetmove.go moving among them,
//	              changesetfind.go the search in them
//	history.go    events; revision.go what their revisions changed
//	result.go     result files
//	format.go     times, actors, sizes
package detail
