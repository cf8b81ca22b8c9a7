// Package worktree gives each run a checkout of its own, keeps what the worker made of it as one
// commit, and brings that to the person's branch. It knows git and files; it knows
// nothing of tasks, of processes or of whether work is good.
//
// # Where things are
//
// Worktrees lie outside the repository, in <state>/worktrees/<store id>/<run>, detached and locked.
// What is known of them is in .known beside them: <run>.json (record), .index (git's index of the
// files as vespe last knew them), .copied (files that are the person's), .owner (locked as long as a
// process works with it). Trees to verify in are <run>+check and <run>+integrate. In the
// repository there are the integration branch, refs/vespe/<run>/base, /result and /head (commits
// that the worker made itself), refs/vespe/verified (a merge that the target is to get), and <git
// directory>/vespe with the locks.
//
// # What holds
//
//   - Whatever kills vespe, and whenever, what was called can be called again. A run is integrated
//     once: the integration branch says so itself, by the line Vespe-Run at the end of a commit's
//     message, and it is moved from the commit that it was found at or not at all.
//   - Nothing of the person's is changed but the target branch, and with it the files of a checkout
//     in which nothing is in the way. No branch is deleted; no directory is removed that is not
//     recorded; a worktree goes only when the result holds what is in it.
//   - A result is of the files, not of what git in the worktree says: the worker may have changed
//     its index, its HEAD, its settings. git is run with an index and a git directory of ours there.
//   - Files of a store (.vespe) are never part of a result, nor are repositories in the worktree,
//     new files that look like secrets, and files above a size. Each is named.
//   - Nothing is fetched; no hook, no signing program and no other command of the repository is
//     run, but the filters and merge drivers that its settings had when the run began.
//
// # Files
//
//	repo.go       Open, Repo, running git; errors.go, message.go, lock.go, record.go
//	tree.go       Add, Checkout, Reopen; fill.go: .worktreeinclude, submodules, ports
//	snapshot.go   Snapshot; head.go: what the worker did with git itself
//	programs.go   whether a worktree is still ours; diff.go: Changed, Patch
//	merge.go      Tip: merging without a checkout; integrate.go: Integrate, Pending, Revert
//	forward.go    FastForward, Deliver
//	remove.go     Remove; list.go: List; preflight.go: Preflight
package worktree
