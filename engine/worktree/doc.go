// Package worktree gives each run its own checkout, stores the worker's changes as one commit, and
// integrates that into the person's branch. It knows git and files. It knows nothing of tasks,
// processes or the quality of the work.
//
// # Places
//
// Worktrees are outside the repository, in <state>/worktrees/<store id>/<run>, detached and locked.
// The directory .known beside them has <run>.json (record), .index (git's index of the files as
// vespe last knew them) and .owner (locked while a process uses the worktree). <run>+check and
// <run>+integrate are trees for verification. The repository has the integration branch,
// refs/vespe/<run>/base, /result and /head (commits that the worker made itself), refs/vespe/verified
// (a merge for the target), and the locks in <git directory>/vespe.
//
// # Promises
//
//   - After any kill, every call can be repeated. A run is integrated once. The integration branch
//     shows it by the line Vespe-Run at the end of a commit's message, and moves only from the
//     commit where it was found.
//   - Of the person's things, only the target branch changes, and its checkout if no change is in
//     the way. No branch is deleted. No unrecorded directory is removed. A worktree is removed
//     only when the result holds its contents.
//   - A result consists of the files, not of what git in the worktree says: the worker can have
//     changed its index, its HEAD and its settings. git runs there with vespe's own index and git
//     directory.
//   - A result never has files of a store (.vespe), repositories in the worktree, new files that
//     look like secrets, or files above a size. Each is reported.
//   - Nothing is fetched. No hook, signing program or other command of the repository runs, except
//     the filters and merge drivers of its settings at the start of the run.
//
// # Where to start reading
//
// Start with repo.go (Open, Repo), tree.go (Add, Checkout, Reopen), snapshot.go (Snapshot),
// integrate.go (Integrate, Pending) and forward.go (FastForward, Deliver).
package worktree
