// Package worker describes how to start agents and read their output. It has the argv lists that
// start Claude Code, Codex, opencode or any other program on a task, and the settings of a person
// and a store for them. Its parsers turn the programs' output into events of a run (runlog.Event).
//
// It starts no program and reads no disk. engine/proc starts programs, and internal/config reads the
// settings.
//
// A worker's output is a claim. An Outcome is how a client says that it ended. Only verification
// decides whether the work is done. An exit code of 0 means nothing by itself: clients exit with 0
// when a permission was denied, a call was deferred, or nothing was done.
//
// # Where to start reading
//
// Start with template.go (Template, its placeholders, the built-in ones) and parser.go (Parser).
// settings.go combines the person's config.toml (config.go) with the store's policy. claude.go,
// codex.go and opencode.go are the clients' formats.
package worker
