// Package snapshot is a whole store at one moment, with everything that is derived from it: the tree, the
// dependency graph, the statuses, what waits for a person, the schedule, and why a task does not move. It
// is pure, and so are its answers: the store, the workbench and the command line ask it the same questions.
//
// Start with snapshot.go. New derives everything at once: statuses, counts and progress up the tree, the
// dependency graph with its cycles and order. With makes the next snapshot from after-images: for nearly
// every transaction it costs what is concerned and copies of a few flat slices, also where a task or an edge
// is new. Rows of the tree and of the graph that are others by now stand apart from the rest, which snapshots
// share. What moves a task, closes a cycle or puts a task before others costs a few passes over such slices.
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
package snapshot
