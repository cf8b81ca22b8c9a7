// Package gitinternal reads and writes the tasks of git-internal 0.6 and their plans as JSON, their header among their
// members: a file, a list, one a line, a directory, or the tree of a reference of a git repository.
//
// docs/format/interop.md has the table. A task is a task. A plan stays as it came, in the record of its task (member
// objectsKey of spec.external.git_internal), and becomes a revision: nothing is approved or gone on with because of it.
// Runs and intents are read only to learn which task a plan is of. Every other object stays where it is, and is
// reported.
//
// Revisions of the plan that were made here become plans when they are exported, with ids that derive from the task and
// the revision. Where such a plan comes back it is passed over: what vespe knows of its own work is no matter of an
// import.
//
// A checksum is the SHA-256 of the object as compact JSON with all keys sorted and checksum null. git-internal
// itself writes updated_at after it, so that one of an object as it was made, with updated_at as created_at,
// counts as well. Another one is refused.
//
// Start with gitinternal.go: a task as it arrives. write.go has it as it leaves; plans.go which plans are a task's;
// places.go directories and references.
package gitinternal
