// Package mcpserver serves a store to agents over the Model Context Protocol: `vespe mcp`.
//
// What a tool does is agents/desk's. This package is the protocol around it: tools with their schemas, resources,
// prompts, progress, cancellation, and the store that comes and goes.
//
// # Tools
//
// Each is a row of one table (tools.go): the documents, the list that clients get, and the tests are made of it. A result
// is one object with next_action in it, because clients show nothing but the structured result where there is one. An
// error is a result with isError and a text: a code, what is so, and what to do next. Errors of the protocol are for
// what is none of its messages. Arguments are checked by the schema before anything is done, and are bounded in size.
//
// No tool decides for a person. There is none that takes a verdict, and desk does no operation that is one.
//
// # A question at the client
//
// A client may offer to put a question to its user (elicitation), and ask_human makes use of that. Nobody knows
// who answers: a hook may, a program without anybody in front of it declines, an agent can be its own client. So
// what comes back is given to the agent as a remark (at_client), is not written into the store, and the request waits on
// for a person's decision in vespe. That goes for yes as for no. Servers of the older versions of the protocol ask while
// the call goes on, and a decision in vespe ends the asking; since 2026-07-28 the result says what is to be asked, and
// the call comes again with it. The state that travels with it is the name of the request and nothing more, so that a
// made-up one is worth nothing.
//
// # The store
//
// It is opened by the first call that needs it and looked for by every one (home.go), for clients keep a server for days
// and show one that has ended as broken: where there is no store, every tool says how to make one. Any number of servers
// may use one store: the store's own lock and log order what they write, and keys make what is repeated one.
//
// # The connection
//
// Lines (lines.go) is the transport: the SDK's own ends the connection at a line that is no message. Only the protocol
// goes to standard output. The server ends with its input, or when it is told to; what waits is cancelled then, what is
// being written is written.
//
// # Resources
//
// Documents of tasks, by URI (resources.go). Who subscribes to one is told when it changes, whoever changed it: the log is
// watched, and what is watched is looked at every two seconds, since editors write past it (subscribe.go).
package mcpserver
