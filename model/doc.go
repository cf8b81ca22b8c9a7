// Package model is the vocabulary: what a task and its files are as values, what an operation, a refusal, a
// request and a policy are, and how files are read and written. It is pure. It reads no disk and no clock, so
// that the store, the workbench and the command line can all ask it the same questions and get the same answers.
//
// Start with task.go (the files) and op.go (operations and their outcome). The packages below this one know no
// tasks: graph, packing, plantext. Those above read a World or a snapshot, and this package knows none of them:
// review has approvals, specfields the fields of spec.json, and lifecycle what operations do. snapshot is a whole
// store with what is derived from it, and board, taskmap, foresee, history, reflection and vocab read that. Package
// modeltest is an in-memory store for tests.
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
package model
