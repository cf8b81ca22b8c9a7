// Package clients drives vespe with the published clients: Claude Code, Codex and the MCP inspector, as npm
// has them, against models that are scripted (endpoint). It holds tests only, with the build tag clients;
// `make e2e` installs the clients, in the versions of npm/package.json, and runs them.
//
//   - clients_test.go: where the clients are, and what to do when they are not there
//   - world_test.go: a repository with a store, a home for the clients, a person at a terminal
//   - loop_test.go: the loop (`vespe run`) with them as its workers
//   - claude_test.go, terminal_test.go: the hooks of Claude Code, headless and at a terminal that somebody sits at
//   - codex_test.go: those of Codex; appserver_test.go: what Codex itself says of them, and how they are trusted
//   - mcp_test.go: a task from plan to report by the tools of the server alone, in both clients
//   - inspector_test.go: the server as the MCP inspector sees it
//   - doctor_test.go, sandbox_test.go: what `vespe install` sets up, and how far it holds
//
// # What is real
//
// The clients' programs, vespe's program, the store on disk, git, and the terminal that a person decides
// in. Only the model is not: it says what the test has written down. Nothing leaves the machine: where
// the clients would ask the internet there is nobody.
package clients
