// Package beads reads the JSONL that beads (bd) keeps its issues in and turns them into
// tasks.
//
// # What becomes what
//
//	id                          uid: UUIDv7 from created_at and a hash of the id, so that every import gives the same; spec.external.beads
//	title                       name
//	description, notes          objective.md, the notes under a heading of their own
//	design                      plan.md
//	acceptance_criteria         spec.acceptance_criteria, one a line
//	priority 0 1 2 3 4          critical, high, medium, low, low
//	issue_type                  spec.goal_type (bug is bugfix)
//	labels                      spec.labels
//	parent-child                parent_uid; only the first parent of several
//	blocks                      depends_on
//	other links                 spec.external.beads_links
//	created_*, closed_*, comments, close_reason   events of the history
//	every other key             spec.external.beads_<key>, as it was
//
// # States
//
// closed is completed with its review accepted, so that nobody is asked about it again.
// tombstone (deleted) is aborted. deferred is paused. Everything else stands where its
// texts put it: a design is a plan that waits for review, a description is an objective.
// An issue in progress arrives unaccepted, because beads holds no approval and an import
// never makes one; the report counts them.
//
// Files: issue.go reads, format.go makes the operations.
package beads
