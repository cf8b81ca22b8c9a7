// Package proc runs one program of a run, with everything that it starts, within limits, and leaves
// no process behind.
//
// # The guard
//
// A guard stands between the starter and the program: vespe itself, with a hidden verb, in its own
// session. It is the program's parent, so it notices any end of the starter:
//
//   - The starter holds one end of a pipe. Stop and Kill go through it. Its end of file, also after
//     SIGKILL, makes the guard end the program (Orphaned).
//   - The guard holds the lock of Spec.State while it lives. The starter takes the lock first and
//     passes it on, so a program never runs without it.
//   - It reads the program's output and keeps as much as the limit allows. A file would grow
//     without a limit, and a pipe without a reader would stop the program.
//   - On Linux it adopts the processes that the program leaves behind (PR_SET_CHILD_SUBREAPER), in
//     any group or session, and ends them after the program.
//   - It writes exit.json, durably, before it ends.
//
// If the guard is killed, the kernel kills the program too (Linux, PR_SET_PDEATHSIG). The starter,
// or Reap after its death, ends the rest: the group in guard.json, and on Linux and macOS this
// user's processes whose VESPE_RUN_ID is the run. A recorded process must have started at that
// moment of that boot. So proc never signals a process that got the same number later.
//
// # Limits
//
// A program of the same user can kill its guard and change its environment. While the guard lives,
// it finds a process that left the group, has another parent and an empty environment. Afterwards,
// nothing does. Containers aren't children of the program. Outside Linux, the guard finds nothing
// that left the group. This is no sandbox: it prevents nothing else.
//
// # Where to start reading
//
// Start with proc.go (Spec, Exit, Start, Process: the starter's side) and guard.go (GuardMain).
// sweep.go ends what the program left, and reap.go cleans up after a crash.
package proc
