// Package cli is the command line: every transition of the lifecycle and every view as
// a verb, for people, scripts and agents.
//
// # The way of a call
//
// Main parses the arguments with cobra. A verb opens the store (nearest ancestor of -C),
// loads a snapshot, does one thing through store.Do, and hands its answer to the
// printer: with --json one object on standard output, otherwise text. An error goes the
// same way: with --json as {"error":{…}} on standard output, otherwise on standard
// error. Main returns the exit code; nothing else ends the process.
//
// An answer is gathered in a buffer and written at the end, so that long lists are cheap.
// A reader that has gone away (`vespe ls | head`) is no error. What came from files is
// printed by way of visible, and JSON with the same characters as \u escapes. Colors and
// fang's help are for terminals; everywhere else, and with NO_COLOR or --no-color, output
// has no escape sequence.
//
// The whole of an answer is made without recursion over the tree: a tree is as deep as
// files say it is. For the same reason `tree --json` is a flat list with depths.
//
// # Verbs from the table
//
// The verbs of transitions are made from model.Table: name, arguments, help, example. A
// row added there is a verb here. Rows that only the system fires have none.
//
// # Exit codes
//
// 0 done · 1 refused or failed · 3 not found · 4 conflict (it changed under you) ·
// 6 denied · 7 committed but not certainly durable · 64 usage. Never 2: a shell and Go's
// runtime use it for their own failures.
//
// # Files
//
//   - cli.go: Main, the root command, global flags
//   - errors.go: exit codes, messages, the error object
//   - help.go: help, and the one rewriting of arguments (ls -is:done)
//   - actor.go: who is acting, and where agents are recognised
//   - transitions.go: verbs made from the table
//   - edit.go: new, dep, rename, set
//   - complexity.go, split.go, suggest.go: complexity; split; dependencies that files suggest
//   - reviewtree.go, leftout.go: reviews of a task and those below it, and what was left out
//   - fire.go: one operation, done or previewed, and what is printed of it
//   - stores.go: init, demo, import, version, verbs; gc.go: gc; doctor.go: doctor, verify
//   - trust.go: trust, and whose stores may be written
//   - watch.go: ls --watch
//   - graph.go: graph as text and JSON; graphfiles.go: as DOT, Mermaid and SVG
//   - views.go: ls, tree, inbox; schedule.go: next, waves, why; impact.go: impact; check.go: check; show.go: show; look.go: what they are made from;
//     at.go: the tasks as they were; diff.go: what became of a plan since
//   - ask.go: ask, answer, requests; wait.go, waitplan.go: wait; comments.go: comments on plans, review
//   - approval.go: what a verdict binds to, and its signature; confirm.go: what is asked at a terminal first
//   - history.go: history of a task, what its revisions changed (unified.go); feed.go: of the whole store, and followed
//   - board.go: board; activity.go, stats.go, timeline.go: what happened to all tasks, sums of that, and to one
//   - prompt.go: what a worker is told, and what it says while it works
//   - objects.go: the JSON objects; requestobject.go, reviewobject.go: those of requests and reviews, also as text
//   - plain.go: tree, inbox and problems as text
//   - complete.go: what shells are offered
package cli
