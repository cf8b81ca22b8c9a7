// Package clients drives vespe with the published clients: Claude Code, Codex and the MCP inspector, as npm
// has them, against models that are scripted (endpoint). It holds tests only, with the build tag clients;
// `make e2e` installs the clients, in the versions of npm/package.json, and runs them.
//
//   - clients_test.go: where the clients are, and what to do when they are not there
//   - world_test.go: a repository with a store, a home for the clients, a person at a terminal
//   - loop_test.go: the loop (`vespe run`) with them as its workers
//
// # What is real
//
// The clients' programs, vespe's program, the store on disk, git, and the terminal that a person decides
// in. Only the model is not: it says what the test has written down. Nothing leaves the machine: where
// the clients would ask the internet there is nobody.
package clients
