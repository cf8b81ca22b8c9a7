// Package gitinternal reads and writes the objects of git-internal 0.6 as JSON, their header among their
// members: a file, a list, one a line, a directory, or the tree of a reference of a git repository.
//
// # What becomes what
//
// docs/format/interop.md has the table. A task is a task. The other objects are kept as they came, in the record of the
// task that they belong to (member objectsKey of spec.external.git_internal), because nothing of them may be
// lost; from there they go out again. Beside that, what a person wants to see is made of them: plans become
// revisions, runs that are over become runs with their evidence, decisions become history. That is for
// reading: nothing is approved, verified, or gone on with because of it (model.ForeignRun).
//
// Which task an object belongs to is said by its run, else it is the nearest one by what names what. What reaches
// none is kept by a task that is made for it (looseKey), until one comes that it reaches.
//
// # What was done here
//
// Plans, runs, patches, checks and verdicts of vespe become objects when they are exported, with ids
// that are made of what they are of: the same store gives the same bytes. Where such an object comes back it is
// passed over, also when somebody changed it: what vespe knows of its own work is no matter of an import.
//
// # Checksums
//
// A checksum is the SHA-256 of the object as compact JSON with all keys sorted and checksum null. git-internal
// itself writes updated_at after it, so that one of an object as it was made, with updated_at as created_at,
// counts as well. Another one is refused.
//
// # Files
//
//	gitinternal.go  a task as it arrives; write.go: as it leaves, headers, checksums
//	kinds.go        the other objects, and what these refer to
//	objects.go      what belongs to a task
//	gather.go       what comes, and what came before; owners.go: which objects belong to which task
//	arrive.go       what is made of them; plan.go: of plans, both ways
//	leave.go        what was done here as objects; leaverun.go: of a run; patch.go: the files of a patch
//	places.go       directories and references
package gitinternal
