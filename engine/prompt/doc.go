// Package prompt writes what a worker is told to do: what the task is for, what a person
// accepted, where the work ends, what is known of attempts and plans before, and how to ask and to stop.
//
//   - build.go: Build, a pure function of its Input
//   - sections.go: the sections
//   - fence.go: how words of others are put into it
//   - gather.go: the Input of a task, from its store
//
// # Words of others
//
// Names, plans, results and what programs printed come from files that anybody may have written. They
// stand in fences that are longer than any run of backticks in them, or as one visible line each, so that
// none can pretend to be another part of the prompt. The accepted plan is in it byte by byte.
//
// # Size
//
// Each section has its own bound, so that a prompt is at most MaxPrompt long. What is left out is said,
// with where it is to be read.
package prompt
