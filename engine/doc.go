// Package engine is what vespe runs: the loop that lets workers work on tasks, and programs that
// a person has set, or that a store names which the person trusts.
//
// # The loop
//
// One loop works on a store of a machine at a time; it holds a lock as long as it lives. Each round it reads the
// store, hears what other processes ask of it (words), goes on with runs that a person has decided about, moves the
// target branch as far as policy lets it, and starts what is ready: in the order of model.Snapshot.Next, as many as
// there are workers, none that writes a file which another one writes. It ends when it is told to, or when nothing is
// left that it could do.
//
// Nothing in it decides for a person. It starts what has an accepted plan, by the transition `start`, which checks the
// approval against the bytes at that moment; it completes what has passed, and asks where neither is clear.
//
// # A run
//
// A run is one attempt at a task, driven by one goroutine from step to step (run.go):
//
//	claim      `start` is fired: from now on every process sees that the task is taken
//	setup      a worktree on the tip of the integration branch (engine/worktree), the set-up commands
//	work       the worker, under a guard (engine/proc), with a prompt (engine/prompt); what it prints becomes events
//	snapshot   what it did is one commit, and changes.patch
//	verify     that commit, in a clean checkout, is checked (engine/verify); what the worker says is no evidence
//	integrate  the commit comes onto the integration branch, checked again if others came before it
//
// and then `work_completed` is fired. What fails on the way fires `error` and `retry`, so that the next attempt is told
// what went wrong, or a person is asked when it was the last. A run that was stopped fires `stop`: no attempt is counted.
// A run may wait in between for a person: because the worker asked, or because nothing tests what it did, or because
// it conflicts. It then holds no slot, but keeps its worktree and its claim.
//
// A task that somebody takes on by hand, or whose subtasks are its work, has a run without a worker: what lies in the
// person's worktree, or what the subtasks did, is checked like any work.
//
// # What a crash leaves
//
// Before each step the run's record says how far it is (place.go): a file outside the repository. Each step can be done
// again. Operations have ids that follow from the run's, so the store does none twice; a commit on the integration
// branch names its run; the guard writes down how the worker ended before it ends itself. The next loop reads the
// records (reconcile.go), ends whatever still lives of the runs, and drives each on from its step. A worker that
// ended with the vespe that started it has not failed: its run ends as cancelled, with its log, and the next run is the
// same attempt.
//
// # What is kept where
//
// In the store, beside the task: run.json (by transactions alone), prompt.md, output.jsonl, verify.json, changes.patch,
// and for this machine stream.log and stderr.log. In the person's state directory: records, guards, worktrees. In
// the repository: refs/vespe/RUN/base and /result, and the integration branch.
//
// # Files
//
//	loop.go       Loop: rounds; options.go: Options, Summary; selects.go: what is started, Plan; reconcile.go: what earlier loops left
//	run.go        a run's steps; work.go: the worker; result.go: snapshot, verify, integrate, questions; ends.go: how it ends
//	advance.go    the target branch; hand.go: worktrees for a person
//	events.go     output.jsonl; place.go: records, the lock; words.go: Desk, what other processes see and ask
//	setup.go      Setup: loops as a person and a store have set them
//	left.go       why what is left was not done; lost.go: runs of which nothing is known here
//	holds.go      whether a task is still what was accepted; files.go: whether tasks write the same files
//	known.go      what is known of the store, and operations on it; fits.go: texts that the store takes
//	score.go      Scorer: a program that scores how urgent a task is
//	reflect.go    Reflector: a program that distils what reviews and runs taught
//	group_unix.go, group_other.go  ending a program with all that it started
//
// prompt is what a worker is told, worker how workers are started and understood, proc a program with all that it
// starts, worktree a checkout for each run and how its result gets to the target, verify what a commit is worth.
package engine
