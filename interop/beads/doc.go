// Package beads reads the JSONL that beads (bd) keeps its issues in. docs/format/interop.md has the table of what becomes
// what.
//
// A line that can't be read leaves the others alone. An issue in progress arrives unaccepted, because beads holds no
// approval and an import never makes one.
//
// Start with format.go: an issue on its way to a task. issue.go reads the lines.
package beads
