// Package verdict says what a decision would be about, before it is made, and asks for it.
//
// A Proposer is the workbench as it is at one moment: the snapshot, what was read of the task on screen, the comments that
// were not sent. It makes a Proposal: operations that were previewed on the snapshot, with the hashes of the bytes that a
// person has seen. A Dialog draws one, and tells what was chosen by an action of the keymap. Nothing here writes, and nothing
// knows the workbench.
package verdict
