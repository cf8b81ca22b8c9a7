// Package clients drives vespe with the published clients Claude Code, Codex and the MCP inspector,
// against scripted models (endpoint). It holds only tests, with the build tag clients. `make e2e`
// installs the clients from npm, in the versions of npm/package.json, and runs the tests.
//
// The clients' programs, vespe's program, the store on disk, git and the terminal are real. Only
// the model is scripted. No request leaves the machine.
//
// Start with world_test.go: it makes a repository with a store, a home for the clients, and a
// person at a terminal. Each other file covers one client or one part of the set-up.
package clients
