// Package git runs the git of the person's PATH for the store: it reads a repository, and adds
// commits to it. It knows nothing of tasks or the log.
//
// # How git runs
//
// vespe starts git from a list of arguments, by its absolute path, from a directory of PATH outside
// the store's root. Hooks, the file system monitor, pagers, prompts, automatic garbage collection
// and every network protocol are off, despite the repository's configuration. Of the GIT_
// variables, only those for configuration and for the search of a repository are passed on. So a
// vespe that a hook runs can't write to the index or the repository of that git command. Every run
// has a time limit.
//
// # How commits are made
//
// Objects are hashed here, packed, and passed to `git unpack-objects`, or to `git index-pack` if
// there are many. One `git cat-file --batch` reads trees. Neither an index nor the worktree's files
// are used, so the worktree can hold anything. The same input gives the same commits. Two processes
// that write the same ones don't conflict.
//
// # Where to start reading
//
// Start with run.go (finding and running git) and writer.go (commits). unmerged.go and sides.go
// read what a merge left.
package git
