// Package verify says what a commit is worth: whether the files are there that a task was to create, and
// how the commands ended that check it, each of them run in a clean checkout of the commit and within
// limits. What the worker said of its work counts for nothing here.
//
// # What is run
//
//   - Files: files_to_create are looked for in the commit itself, before anything runs that could make
//     them. A path with a wildcard (path.Match) is there when one file matches it.
//   - The set-up commands of who verifies. After one that fails nothing else is run.
//   - verify of spec.json: every command, in order, also after one has failed. A relative path with a
//     slash in it names a program of the commit; without it the commit fails.
//   - Where verify is empty, the test runners that are found: `go test ./...` (go.mod), npm, pnpm or yarn
//     test (package.json with a script that is not npm's placeholder; the lockfile says which),
//     `python3 -m pytest -q` (its settings, or files named as tests are), `cargo test` (Cargo.toml), and
//     `make test` where none of these is there, since it usually calls them. They are looked for at the top
//     and, for each changed file and each of test_files, in the nearest directory above it that has one.
//     Where test_files names files that they know, Go tests only those packages, and pytest only those files.
//   - A criterion that says `test: NAME` has that one test run by go, pytest or cargo.
//
// Commands that are given come in place of those that are found: who wrote them knows what a change has to
// pass, and a suite that takes an hour is not run behind their back.
//
// # What counts
//
// A check passes if its program ended by itself with 0, and fails otherwise. It was not run, and has not
// passed, if the program or what it needs is not installed, or if it says that it found no test: then the
// report is not Tested. It is Tested if a command failed, or if at least one passed and none of those that had
// to be run could not be. What one runner finds no tests for does not matter where another does.
//
// A criterion has passed or failed if it is a command that was run ("`make lint` passes") or names a test.
// Everything else is for a person: no command checks it, and nothing is made up.
//
//	verify.go    Input, Run
//	command.go   one command and how it ended
//	tree.go      what the commit holds
//	detect.go    which runners there are
//	runners.go   what runners print: did anything run, and which test passed
//	criteria.go  criteria and the tests that they name
package verify
