// Package snapshot is a whole store at one moment, with everything that is derived from it: the tree, the
// dependency graph, the statuses, what waits for a person, and why a task does not move. It
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
package snapshot
