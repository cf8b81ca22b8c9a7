// Package uitest drives the whole workbench in a test: the real Bubble Tea program inside a
// testing/synctest bubble, over a store in memory that runs the real lifecycle.
//
// A test presses actions, not keys: Press looks the keys up in the keymap, so that it says
// what a person does and holds for every configuration. synctest.Wait is "the program is
// idle", so that nothing sleeps or polls; time passes when a test says so.
//
// Every frame that is drawn is checked: exactly as many lines as the screen has, each of
// exactly its width, no control bytes except colors. A failure on screen that the test
// never dismisses fails it.
//
//   - driver.go: Run and the Driver
//   - frame.go: what a frame must be
//   - keys.go: key names to messages
//   - store.go: the store in memory; files.go: its files
//   - world.go, session.go: tasks, stores and an editor to test with
//
// A test binary that uses the package must call signal.Notify once in TestMain: a first call
// inside a bubble is fatal.
package uitest
