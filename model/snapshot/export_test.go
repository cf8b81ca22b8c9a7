package snapshot

// BenchTasks are benchTasks for the tests of packages above this one.
var BenchTasks = benchTasks
