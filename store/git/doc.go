// Package git runs the git of the person's PATH for the store: it asks a repository what
// it holds, and adds commits to it. It knows nothing of tasks and nothing of the log.
//
// # What a run may do
//
// git is run by argv, by its absolute path, from a directory of the PATH that lies outside
// the store's root. Hooks, the file system monitor, pagers, prompts, automatic garbage
// collection and every network protocol are off, whatever the repository's configuration
// says. Of the environment's GIT_ variables only those that name configuration and limit
// the search for a repository are passed on: a vespe that is run by a hook must not write
// to the index or the repository that git is busy with. A run has a time limit.
//
// # How commits are made
//
// Objects are hashed here, put into one pack and handed to `git unpack-objects`, or to
// `git index-pack` when they are many; trees are read with one `git cat-file --batch`. No
// index is needed for it and no file is read, so the worktree may hold anything. The same
// input gives the same commits: two processes that write the same ones do not disturb each
// other, and what was written as single objects can be written again as one pack.
//
// # Files
//
//	run.go      finding git, running it; call.go: for other packages
//	repo.go     Find, Repo, references
//	cat.go      reading objects
//	writer.go   commits; tree.go: directories and their differences; pack.go: handing over
//	refs.go     references, branches, what is ignored
//	unmerged.go conflicts; sides.go: what git merged beside them
//	index.go    the lock of the index, and what a commit changes in it
package git
