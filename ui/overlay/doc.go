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
package overlay
