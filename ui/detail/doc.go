// Package detail is the right pane of the workbench: everything about one task, in six
// tabs.
//
//	overview   what it is, what it waits for and why, its facts, the tasks around it
//	objective  the text, rendered or as it is in the file
//	plan       the same, with what was decided on it
//	history    every event, the newest first; one unfolds to all that it says and what it changed
//	result     the files that others may use, and a look into them
//	runs       the attempts at the task
//
// The pane reads nothing. The overview comes from the snapshot alone; for the others Needs
// says what is missing, the root reads it and hands it over. What is on screen stays until
// the newer text is there. Key labels come in through a function, so that an empty place can
// say which key fills it.
package detail
