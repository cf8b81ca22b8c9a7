// Package gitinternal reads and writes the tasks of git-internal 0.6 as JSON, their header among their members: one
// object, a list, or one a line. Objects of other types stay where they are, and are reported.
//
// docs/format/interop.md has the table.
//
// A checksum is the SHA-256 of the object as compact JSON with all keys sorted and checksum null. git-internal
// itself writes updated_at after it, so that one of an object as it was made, with updated_at as created_at,
// counts as well. Another one is refused.
//
// Start with gitinternal.go: a task as it arrives. write.go has it as it leaves.
package gitinternal
