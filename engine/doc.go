// Package engine is what vespe runs: programs that a person has set, or that a store names which
// the person trusts. Nothing else in vespe but git and ssh-keygen is ever started.
//
//	score.go  Scorer: a program that scores how urgent a task is
//	reflect.go  Reflector: a program that distils what reviews and runs taught
//	group_unix.go, group_other.go  ending a program with all that it started
//	prompt/  what a worker is told to do
//	proc/    a program with everything that it starts, within limits
//	verify/  what a commit is worth: files, commands, tests
//	worker/  how workers are started, and what they print
//	worktree/ a checkout for each run, its result as one commit, and how that gets to the target
package engine
