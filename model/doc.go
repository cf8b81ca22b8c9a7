// Package model is what vespe knows about tasks: their files as values, the operations on
// them, and a snapshot of a whole store with everything that is derived from it. It
// is pure. It reads no disk and no clock, so that the store, the workbench and the CLI can
// all ask it the same questions and get the same answers.
//
// Start with task.go (the files), op.go (operations and their outcome) and snapshot.go. Package
// lifecycle above this one is what operations do: it reads a World, which a snapshot is too, and this
// package knows nothing of it. The other packages above read a snapshot or an event: board, taskmap,
// foresee, history, reflection and vocab. Package modeltest is an in-memory store for tests.
//
// # Values
//
// A Task is one directory of .vespe/tasks: Config, StatusFile, dependencies and Spec, each
// with the unknown keys of its file. Decode… reads tolerantly and lists every Problem with
// path and line; Encode… writes the one canonical form. A Task that others can
// see is never changed: Clone it first.
//
// # How files are read and written
//
// A Problem is an Error where the task's identity, state or dependencies cannot be told: a
// file that is no JSON object (a duplicate key anywhere in it, bytes that are not UTF-8 and
// values nested deeper than 64 levels included), config.json without a uid or a name,
// status.json without a known state, dependencies.json without a readable list, an event
// without a name, a request whose id can be no file. Everything else is a Warning: the
// field then has its zero value, and what the file says is kept in Extra under the field's
// own key. It is written back in its place until the program sets the field.
//
// A key that differs from a known one only in case, "_" or "-" is never taken for it. It is
// kept as an unknown key and listed, as an Error beside uid, name, current_state, depends_on
// and id, because another reader may take it for the key.
//
// Unknown keys are kept byte for byte and written after the known ones, in file order. Times
// are cut to milliseconds on reading and writing. null is the same as absence; an older
// spelling is written back in ours.
//
// # Milestones and priorities
//
// A task is in the milestone whose list has it (Milestones), else in the one that its spec.json
// names, else in that of the task above it. Operations write it in one place: assign_milestone in
// the list, `set` in the spec. milestones.json is after-image and world like a task (Milestoned),
// and nothing writes it while part of it cannot be read.
//
// A rule that set a priority is kept beside it (PriorityBy). It holds only while the priority is the
// one that it set, so that one that somebody gave is known whoever wrote it; prioritize leaves such
// alone. The rules themselves are vespe/model/priority's, and the store asks them.
//
// # Snapshot
//
// NewSnapshot derives everything at once: statuses, counts and progress up the tree, the
// dependency graph with its cycles and order. With makes the next snapshot from
// after-images: for nearly every transaction it costs what is concerned and copies of a few
// flat slices, also where a task or an edge is new. Rows of the tree and of the graph that are
// others by now stand apart from the rest, which snapshots share. What moves a task, closes a
// cycle or puts a task before others costs a few passes over such slices.
//
// Pack is a snapshot as bytes, and Unpack uses them as they lie: whole walks, searches and
// look-ups read columns and texts, and a task is decoded when somebody asks for it. At gives
// the same pointer only for a while: compare uids, not pointers.
//
// # Schedule
//
// Schedule is the critical path method over open work: a task waits for dependencies that are
// not met and for its subtasks; what can never be completed as things are is stuck and left out, and
// Deadlocks name the causes. A task with subtasks takes no time beside theirs. Any other takes what its runs
// took (EndRun keeps their number and time in status.json), else what its complexity says by the limits
// that stores have by default, times the median by which completed tasks took longer. No plan waits to be
// reviewed in it, and there are as many workers as can help: it says what is possible, not what will be.
// Next goes by it, Waves add files and workers, package foresee compares it before and after an event.
package model
