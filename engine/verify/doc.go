// Package verify judges a commit: whether it has the files that the task should create, and how its
// checks end. Each check runs in a clean checkout of the commit, within limits. The worker's claims
// count for nothing.
//
// # What runs
//
//   - Files: files_to_create must be in the commit itself, before anything runs that could make
//     them. A path with a wildcard (path.Match) needs one matching file.
//   - The caller's setup commands. If one fails, nothing else runs.
//   - verify of spec.json: every command, in order, also after a failure. A relative path with a
//     slash names a program in the commit; without that program the commit fails.
//   - Without verify, the test runners found: `go test ./...` (go.mod), npm, pnpm or yarn test
//     (package.json with a script other than npm's placeholder; the lockfile decides), `python3 -m
//     pytest -q` (its settings, or files named like tests), `cargo test` (Cargo.toml), and without
//     any of these `make test`, which usually calls them. verify looks at the top, and in the
//     nearest directory above each changed file and each of test_files. If test_files names files
//     that they know, Go and pytest run only those.
//
// Given commands replace the found ones: their author knows what a change must pass, and an
// hour-long suite shouldn't run unasked.
//
// # What counts
//
// A check passes if its program ended by itself with 0, and otherwise fails. It wasn't run, and
// hasn't passed, if the program or its dependencies aren't installed, or if it reports that it
// found no test. The report is Tested if a command failed. It is also Tested if at least one passed
// and every required one could run. A runner without tests doesn't matter if another has some.
//
// A criterion passes or fails if it is a command that ran ("`make lint` passes"). Every other
// criterion is for a person.
//
// # Where to start reading
//
// Start with verify.go (Input, Run) and command.go (one command and its end). detect.go finds
// runners, runners.go reads their output, and criteria.go matches criteria to commands.
package verify
