// Package prompt writes a worker's prompt: the purpose of the task, the accepted plan, the limits
// of the work, earlier attempts and plans, and how to ask and to stop.
//
// # Text from files
//
// Names, plans, results and output of programs come from files that anyone can write. Each is in a
// fence longer than any run of backticks in it, or is one visible line. So none can pose as another
// part of the prompt. The accepted plan is in it byte by byte.
//
// # Size
//
// Each section has its own limit, so a prompt has at most MaxPrompt bytes. A cut section says so,
// and where the rest is.
//
// # Where to start reading
//
// Start with build.go (Build, a pure function of its Input) and gather.go (the Input of a task,
// from its store).
package prompt
