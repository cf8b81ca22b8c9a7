// Package schedule computes when the open work of a snapshot could be done, and in which order. It is pure.
//
// Start with Of. It is the critical path method over open work: a task waits for dependencies that are
// not met and for its subtasks; what can never be completed as things are is stuck and left out, and
// Deadlocks name the causes. A task with subtasks takes no time beside theirs. Any other takes what its runs
// took (EndRun keeps their number and time in status.json), else what its complexity says by the limits
// that stores have by default, times the median by which completed tasks took longer. No plan waits to be
// reviewed in it, and there are as many workers as can help: it says what is possible, not what will be.
// Next sorts by it, Waves adds files and workers, and package foresee compares it before and after a change.
package schedule
