//go:build torture

package main

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// transition is a call of the program that changes a store.
type transition struct {
	name string
	args []string // beside --op-id, where the verb takes one
	// before is done to a copy of the fixture first.
	before func(t testing.TB, dir string)
	noOpID bool
}

// texts lie beside the stores, where the program reads them from.
var texts = map[string]string{
	"objective.md": "# Objective\n\nDo it well.\n",
	"plan.md":      "# Plan\n\n1. One thing.\n2. Another.\n",
	"hand.md":      "# Plan\n\n1. Written by hand, past the program.\n",
}

var fixture struct {
	sync.Once
	dir string
}

// fixtureStore is a store with a task for each of the transitions. It is only copied.
func fixtureStore(t testing.TB) string {
	t.Helper()
	fixture.Do(func() {
		dir, err := os.MkdirTemp("/dev/shm", "vespe-torture-fixture-")
		if err != nil {
			t.Fatal(err)
		}
		atEnd = append(atEnd, func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range texts {
			writeFile(t, filepath.Join(dir, name), text)
		}
		file := func(name string) string { return filepath.Join(dir, name) }
		robot := func(args ...string) { must(t, dir, append([]string{"--as", "agent:claude"}, args...)...) }
		must(t, dir, "init")
		for _, name := range []string{"Bare", "Planned", "Running", "Edited", "Parent", "After"} {
			must(t, dir, "new", name, "--objective", file("objective.md"))
		}
		for _, name := range []string{"Child one", "Child two"} {
			must(t, dir, "new", name, "--objective", file("objective.md"), "--parent", "Parent")
		}
		must(t, dir, "dep", "add", "After", "Parent")
		for _, name := range []string{"Planned", "Running", "Edited", "Child one"} {
			robot("define-plan", name, "--file", file("plan.md"))
		}
		for _, name := range []string{"Running", "Child one"} {
			must(t, dir, "accept-plan", name)
			robot("start", name)
		}
		fixture.dir = dir
	})
	if fixture.dir == "" {
		t.Fatal("the fixture could not be made")
	}
	return fixture.dir
}

// copyStore copies a store to a directory that is there.
func copyStore(t testing.TB, from, to string) string {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// transitions are of every kind: one task and many, new files and replaced ones, small and
// large, with and without something to take over first.
func transitions(t testing.TB) []transition {
	t.Helper()
	text := func(name string) string { return filepath.Join(fixtureStore(t), name) }
	return []transition{
		{name: "new", args: []string{"new", "Fresh", "--objective", text("objective.md"), "--parent", "Parent", "--depends", "Bare"}},
		{name: "propose a plan", args: []string{"--as", "agent:claude", "define-plan", "Bare", "--file", text("plan.md")}},
		{name: "accept", args: []string{"accept-plan", "Planned"}},
		{name: "hand in a result", args: []string{"--as", "agent:claude", "work-completed", "Running", "All done."}},
		{name: "end a tree", args: []string{"abort", "Parent", "-m", "no longer wanted"}},
		{name: "take over an edit", args: []string{"set", "Edited", "priority=high"}, before: func(t testing.TB, dir string) {
			plans, err := filepath.Glob(filepath.Join(dir, ".vespe", "tasks", "*", "plan.md"))
			if err != nil || len(plans) != 4 {
				t.Fatal(plans, err)
			}
			writeFile(t, plans[2], texts["hand.md"])
		}},
	}
}
