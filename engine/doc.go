// Package engine is the loop that runs workers on tasks. It also starts a person's own programs,
// and those of a store that the person trusts.
//
// # The loop
//
// One loop works on a store of a machine at a time, and holds a lock while it lives. Each round it
// reads the store and the requests of other processes. It continues runs that a person has decided
// about, moves the target branch as far as policy allows, and starts ready tasks. It takes them in
// the order of schedule.Next, one for each free worker, and never two that write the same
// file. It ends when asked, or when nothing is left to do.
//
// The loop decides nothing for a person. It starts only accepted plans, with the transition start,
// which checks the approval against the current bytes. It completes work that passes, and asks
// where neither is clear.
//
// # A run
//
// A run is one attempt at a task. One goroutine drives it from step to step (run.go):
//
//	claim      start is fired: every process now sees that the task is taken
//	setup      a worktree on the tip of the integration branch (engine/worktree), and the setup commands
//	work       the worker, under a guard (engine/proc), with a prompt (engine/prompt); its output becomes events
//	snapshot   its changes become one commit, and changes.patch
//	verify     that commit is checked in a clean checkout (engine/verify); the worker's word is no evidence
//	integrate  the commit goes onto the integration branch, and is checked again if others came first
//
// Then work_completed is fired. A failure fires error and retry, so the next attempt learns the
// reason. After the last attempt, a person is asked. A stopped run fires stop and counts no
// attempt. A run waits for a person if the worker asks, if nothing tests its work, or if the work
// conflicts. It then holds no slot, but keeps its worktree and its claim.
//
// A task that a person does by hand, or whose work is its subtasks, has a run without a worker. The
// loop checks the person's worktree, or the subtasks' work, like any work.
//
// # After a crash
//
// Before each step, the run's record notes the step (place.go). It is a file outside the
// repository. Each step can be repeated. Ids of operations derive from the run's id, so the store
// applies none twice. A commit on the integration branch names its run. The guard records how the
// worker ended. The next loop reads the records (reconcile.go), ends the remaining processes of the
// runs, and continues each from its step. A worker that ended with its vespe hasn't failed: its run
// is canceled, and the next run is the same attempt.
//
// # Where to start reading
//
// Start with loop.go (rounds), selects.go (which tasks to start) and run.go (the steps of a run).
// work.go, result.go and ends.go hold the steps. setup.go makes a loop from the settings of a
// person and a store.
package engine
