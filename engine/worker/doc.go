// Package worker is how an agent is started and understood: the argv lists that start
// Claude Code, Codex, opencode or any other program on a task, what a person and a store have set for
// them, and parsers that make events of a run (runlog.Event) of what these programs print.
//
// Nothing here starts a program, and nothing reads the disk: engine/proc does the one, main the other.
//
//   - template.go: Template and its placeholders; the built-in ones
//   - config.go: [worker] and [workers.NAME] of the person's config.toml
//   - settings.go: what holds of that and of the store's policy, and where it came from
//   - parser.go: Parser, which takes what a worker prints line by line; lines.go: lines of any length;
//     value.go: JSON of which the end may be missing
//   - claude.go, codex.go, opencode.go: the formats of the clients
//   - outcome.go: Outcome, and what an exit code means beside it
//
// # What is believed
//
// A worker's output is a claim. An Outcome says how a client says that it ended; whether the work is
// done, verification says. An exit code of 0 means nothing by itself: clients end with it when a
// permission was denied, a call was deferred, or nothing was done.
package worker
