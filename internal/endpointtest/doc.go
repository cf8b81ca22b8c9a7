// Package endpointtest plays a model to the published clients: an HTTP server on loopback that speaks the
// Anthropic Messages API to Claude Code and the OpenAI Responses API to Codex, and says what a test has
// written down. It is for tests; no program imports it.
//
//   - endpoint.go: Script and its turns: what the model was shown, and what it does next
//   - anthropic.go: the Messages API
//   - openai.go: the Responses API
//
// # Turns
//
// A client asks its model in turns: here is what was said and what the tools answered, what now? A Turn
// is given what the client sent and returns what the model says and calls. So a test asserts on what a
// model would have read, and not on what a client says that it did. A Script outlives the client: one
// that is killed and resumed continues with the next turn.
//
// Clients ask on the side as well (a title for the session, how many tokens there are). That is answered
// with something harmless and takes no turn.
package endpointtest
