// Package overlay holds what lies on top of the workbench for a moment: lists to choose
// from, lines and texts to type, questions, things to read.
//
// An overlay is no tea.Model and does no I/O. It takes keys, pasted text and the mouse, and
// answers with an Outcome: a typed value that says what the person decided. The root acts
// on it, and closes the overlay when the outcome Ends. HandleKey knows one key for each thing that an
// overlay does; which a person presses for it is in the keymap of the root. Where text is
// typed every printable key is text and nothing else.
//
// Nothing is decided by accident: a Confirm starts on the safe answer, so that enter alone
// never accepts; a Compose keeps its draft when it is closed.
//
//	overlay.go  Overlay and the outcomes
//	place.go    an overlay laid over a frame, the frame dimmed
//	box.go      the border that all of them share
//	field.go    one line of text
//	list.go     rows to choose from, matched as somebody types
//	palette.go  Palette: every action; a disabled one says why
//	picker.go   Picker: tasks, themes; previews as the cursor moves
//	finder.go   Finder: what is found in texts for what is typed
//	help.go     Help: keys by section, searchable
//	prompt.go   Prompt: a label, a line, an error beneath it
//	compose.go  Compose: a short text of several lines
//	confirm.go  Confirm: what will happen, to what, yes or no
//	bar.go      Bar: the line at the bottom for a search or a filter
//	diff.go     Diff: two texts, as package diff compares and draws them
//	log.go      Log: messages with their times
//	paper.go    Paper: something long to read and to decide about
//	form.go     Form: several lines, each with a name
//	checklist.go  Checklist: parts of something, some of which may be left out
package overlay
