// Package proc runs one program of a run with everything that it starts, within limits, and leaves
// none of it behind.
//
// # The guard
//
// Between who starts a program and the program stands a guard: vespe itself, run again with a verb that
// nobody types, in a session of its own. It is the parent of the program, so that an end of the starter,
// of whatever kind, ends nothing unseen:
//
//   - The starter holds one end of a pipe. Stop and Kill go through it, and its end, also by SIGKILL, is
//     an end of file: the guard then ends the program (Orphaned).
//   - The guard holds the lock of Spec.State as long as it lives. It is taken before the guard starts and
//     given to it, so there is no moment at which a program runs and nobody holds the lock.
//   - It reads what the program prints and keeps as much as the limit allows. A file takes all that is
//     written to it, and a pipe without a reader stops a program; the guard does neither.
//   - On Linux it adopts what the program leaves behind (PR_SET_CHILD_SUBREAPER), in whatever group or
//     session that is, and ends it once the program has ended.
//   - It writes exit.json, durably, before it ends.
//
// If the guard itself is killed, the kernel kills the program with it (Linux, PR_SET_PDEATHSIG), and the
// starter, or after its death Reap, ends the rest: the group that guard.json names, and on Linux and macOS
// the processes of this user in whose environment VESPE_RUN_ID is the run. A process is believed to be the
// one that was recorded only if it started at that moment of that boot, so that a number which the system
// has given to another since is never signalled.
//
// # What it cannot do
//
// A program that runs as the same user can kill its guard and change its environment. What has left the
// group, has another parent and an empty environment is found while the guard lives, and not afterwards.
// Containers are not children of who asked for them. Outside of Linux nothing that left the group is found
// while the guard lives. No program is kept from anything else: this is no sandbox.
//
//	proc.go    Spec, Exit, Start, Process: the side of the starter
//	guard.go   GuardMain: the guard
//	sweep.go   ending what the program left behind
//	output.go  what the program prints, kept within a limit
//	state.go   guard.lock, guard.json, exit.json
//	reap.go    Reap: after a crash
//	look.go    which program an argv names
//	sys_*.go   what systems say of processes
package proc
