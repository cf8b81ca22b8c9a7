// Package mcpserver serves a store to agents over the Model Context Protocol: `vespe agent mcp`.
// agents/desk does the work. This package is the protocol: tools with their schemas,
// prompts, progress, cancellation, and a store that comes and goes.
//
// # Tools
//
// One table (tools.go) has a row for each tool. The documents, the clients' list and the tests come
// from it. A result is one object with next_action in it, because clients show only the structured
// result. A failed tool returns a result with isError and a text: a code, the situation and the
// next step. Protocol errors are only for invalid messages. The schema checks arguments first, and
// their size is bounded.
//
// No tool decides for a person. None takes a verdict, and desk allows no such operation.
//
// # The store
//
// The first call that needs the store opens it, and each call looks for it (home.go). Clients keep
// a server for days and show an ended one as broken. So without a store, every tool explains how to
// make one. Any number of servers can use one store: its lock and log order their writes, and keys
// make repeated calls one.
//
// # The connection
//
// Lines (lines.go) is the transport, because the SDK's own ends the connection at an invalid line.
// Only the protocol goes to standard output. The server ends with its input, or when asked. Then
// waits are canceled, and writes finish.
package mcpserver
