// Package cli is the command line: every transition of the lifecycle and every view as a verb, for
// people, scripts and agents.
//
// # A call
//
// Main parses the arguments with cobra. A verb opens the store (the nearest ancestor of -C), loads
// a snapshot, does one thing through store.Do, and passes its answer to the printer. With --json,
// that is one object on standard output, otherwise text. Errors go the same way: with --json as
// {"error":{…}} on standard output, otherwise on standard error. Main returns the exit code.
// Nothing else ends the process.
//
// The printer buffers an answer and writes it at the end, so long lists are cheap. A closed reader
// (`vespe ls | head`) is no error. Text from files passes through visible, and JSON escapes the
// same characters. Colors and fang's help are only for terminals. Other output, and output with
// NO_COLOR or --no-color, has no escape sequences.
//
// No answer recurses over the tree, because files decide its depth. So `tree --json` is a flat list
// with depths.
//
// # Groups of verbs
//
// A verb declares its group (GroupID) and, if it differs, its name from before there were groups (Aliases). mount adds it
// to the group, and adds a hidden copy under the older name for scripts, hooks and git's settings. Texts use the name in
// the group.
//
// lifecycle.Table gives the verbs of transitions their group, name, arguments, help and example. A new row is
// a new verb. Rows that only the system fires have none.
//
// # Exit codes
//
// 0 done · 1 refused or failed · 3 not found · 4 conflict (it changed under you) · 5 no decision
// yet · 6 denied · 7 committed but perhaps not durable · 64 usage. Never 2: shells and Go's runtime
// use it for their own failures.
//
// # Packages
//
// The verbs are in the packages look, write, lifecycle, run, agent and admin. Each has a function
// Verbs, and uses only core, which is one call of the program: which store, who acts, one operation (fire.go), the
// JSON objects, output and errors. This package puts the verbs together and prints their help.
package cli
