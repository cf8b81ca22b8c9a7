// Package clients drives vespe with the published clients Claude Code and Codex, against
// scripted models. It holds only tests, with the build tag clients. `make e2e` installs the clients
// from npm, in the versions of npm/package.json, and runs the tests.
//
// The clients' programs, vespe's program, the store on disk, git and the terminal are real. Only
// the model is scripted: an HTTP server on loopback speaks the Anthropic Messages API to Claude Code and the OpenAI
// Responses API to Codex. No request leaves the machine.
//
// A client asks its model in turns: here is what was said and what the tools answered, what now? A Turn gets what the
// client sent and returns what the model says and calls. So a test asserts on what a model would have read. A Script
// outlives the client: one that is killed and resumed continues with the next turn. What clients ask on the side, such
// as a title for the session, takes no turn.
//
// Start with world_test.go: it makes a repository with a store, a home for the clients, and a
// person at a terminal. endpoint_test.go has the scripts. Each other file covers one client or one part of the set-up.
package clients
