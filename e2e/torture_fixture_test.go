//go:build torture

package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/cli"
	"vespe/cli/core"
)

// transition is a call of the program that changes a store.
type transition struct {
	name string
	args []string // beside --op-id
	// plain: there is no --op-id, and doing it twice is doing it once.
	plain bool
	// before is done to a copy of the fixture first.
	before func(t testing.TB, dir string)
	// keep are bytes that must not get lost.
	keep string
	// cold: the store was copied, and nobody has written to it since.
	cold bool
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
		writeFile(t, file("issues.jsonl"), issues())
		must(t, dir, "init")
		for _, name := range []string{"Bare", "Planned", "Running"} {
			must(t, dir, "new", name, "--objective", file("objective.md"))
		}
		must(t, dir, "dep", "add", "Running", "Bare")
		for _, name := range []string{"Planned", "Running"} {
			robot("define-plan", name, "--file", file("plan.md"))
		}
		must(t, dir, "dep", "rm", "Running", "Bare")
		must(t, dir, "accept-plan", "Running")
		robot("start", "Running")
		must(t, dir, "dep", "add", "Bare", "Running")
		fixture.dir = dir
	})
	if fixture.dir == "" {
		t.Fatal("the fixture could not be made")
	}
	return fixture.dir
}

// prepared is a copy of the fixture that the program has written to since, so that it has a
// checkpoint of its own, brought to where a transition begins.
func prepared(t testing.TB, tr transition, dir string) string {
	t.Helper()
	copyStore(t, fixtureStore(t), dir)
	if !tr.cold {
		if o := called(dir, "set", "Bare", "priority=low"); o.code != 0 {
			t.Fatal(o)
		}
	}
	if tr.before != nil {
		tr.before(t, dir)
	}
	return dir
}

// called is the command line without a process of its own.
func called(dir string, args ...string) outcome {
	env := map[string]string{}
	for _, kv := range vespeEnv(os.Getenv("XDG_STATE_HOME")) {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	var out, errs bytes.Buffer
	code := cli.Main(context.Background(), core.Deps{
		Args: append([]string{"-C", dir}, args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string { return env[name] }, Dir: dir, Now: time.Now, Rand: rand.Reader, Version: "test",
		VerdictsFromScripts: true, // as the configuration of these tests says
	})
	return outcome{code, out.String(), errs.String()}
}

// copyStore copies a store to a directory that is there.
func copyStore(t testing.TB, from, to string) string {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// after are calls that come before a transition.
func after(calls ...string) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) {
		t.Helper()
		for _, call := range calls {
			if o := called(dir, strings.Split(call, "|")...); o.code != 0 {
				t.Fatalf("%s: %s", call, o)
			}
		}
	}
}

// The tasks of a tree, one that its parent does not wait for, and a task with a question.
var (
	tree = []string{
		"new|Child one|--parent|Running", "new|Child two|--parent|Running", "define-objective|Child one|Do half of it.",
		"define-plan|Child one|Do it.", "accept-plan|Child one", "start|Child one|--as|agent:claude",
	}
	planned = []string{"new|Child|--parent|Planned", "accept-plan|Planned", "start|Planned|--as|agent:claude"}
	asked   = []string{"pause|Running|-m|hitl: may it delete files?"}
)

// byHand writes a task's file past the program.
func byHand(task, name, body string) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) {
		t.Helper()
		configs, err := filepath.Glob(filepath.Join(dir, ".vespe", "tasks", "*", "config.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, config := range configs {
			if b, err := os.ReadFile(config); err == nil && strings.Contains(string(b), `"name": "`+task+`"`) {
				writeFile(t, filepath.Join(filepath.Dir(config), name), body)
				return
			}
		}
		t.Fatalf("there is no task %s in %s", task, dir)
	}
}

// both does two things one after the other.
func both(first, then func(t testing.TB, dir string)) func(t testing.TB, dir string) {
	return func(t testing.TB, dir string) { first(t, dir); then(t, dir) }
}

// transitions are of every kind that the command line has: one task and many, new files and replaced
// ones, small and large, with and without something to take over first.
func transitions(t testing.TB) []transition {
	t.Helper()
	text := func(name string) string { return filepath.Join(fixtureStore(t), name) }
	robot := func(args ...string) []string { return append([]string{"--as", "agent:claude"}, args...) }
	person := func(args ...string) []string { return args }
	done := "work-completed|Running|All done.|--as|agent:claude"
	return []transition{
		{name: "new", args: person("new", "Fresh", "--objective", text("objective.md"), "--parent", "Running", "--depends", "Bare")},
		{name: "new with phases", args: person("new", "Fresh", "--phases")},
		{name: "objective", args: robot("define-objective", "Bare", "Another one.")},
		{name: "propose a plan", args: robot("define-plan", "Bare", "--file", text("plan.md"))},
		{name: "accept", args: person("accept-plan", "Planned")},
		{name: "accept in a copy", args: person("accept-plan", "Planned"), cold: true},
		{name: "reject", args: person("reject-plan", "Planned", "-m", "too vague")},
		{name: "start", args: robot("start", "Planned"), before: after("accept-plan|Planned")},
		{name: "hand in a result", args: robot("work-completed", "Running", "All done.")},
		{name: "accept the work", args: person("review-accepted", "Running"), before: after(done)},
		{name: "reject the work", args: person("review-rejected", "Running", "-m", "half is missing"), before: after(done)},
		{name: "error", args: robot("error", "Running", "It broke.")},
		{name: "failure", args: robot("error", "Running", "It broke.", "--failure")},
		{name: "retry", args: robot("retry", "Running"), before: after("error|Running|It broke.")},
		{name: "wait for a subtask", args: robot("spawn-subtask", "Planned", "Child"), before: after(planned...)},
		{name: "end of a subtask", args: robot("work-completed", "Child one", "Done."), before: after(tree...)},
		{name: "pause", args: person("pause", "Running", "-m", "not now")},
		{name: "ask", args: robot("pause", "Running", "-m", "hitl: may it delete files?")},
		{name: "answer", args: person("resume", "Running", "-m", "it may"), before: after(asked...)},
		{name: "end a tree", args: person("abort", "Running", "-m", "no longer wanted"), before: after(tree...)},
		{name: "check", args: person("check", "Running"), before: byHand("Running", "objective.md", "Another one, by hand.\n")},
		{name: "revalidate", args: person("revalidate", "Running"), before: both(byHand("Running", "objective.md", "Another one, by hand.\n"), after("check|Running"))},
		{name: "replan", args: robot("replan", "Running", "-m", "it does not work")},
		{name: "undo", args: person("undo", "Planned"), before: after("accept-plan|Planned")},
		{name: "rename", args: person("rename", "Bare", "Clothed")},
		{name: "set", args: person("set", "Bare", "priority=high", "labels+=a,b", "acceptance_criteria=It is fast")},
		{name: "add a dependency", args: person("dep", "add", "Bare", "Planned")},
		{name: "remove a dependency", args: person("dep", "rm", "Bare", "Running")},
		{
			name: "take over an edit", args: person("set", "Planned", "priority=high"), before: byHand("Planned", "plan.md", texts["hand.md"]),
			keep: strings.TrimSpace(strings.TrimPrefix(texts["hand.md"], "# Plan")),
		},
	}
}

// others change a store in other ways: they have no id with which they are repeated, and
// repeating them changes nothing.
func others(t testing.TB) []transition {
	t.Helper()
	text := func(name string) string { return filepath.Join(fixtureStore(t), name) }
	return []transition{
		{name: "import", args: []string{"import", "beads", text("issues.jsonl")}, plain: true},
	}
}

// issues are enough for a transaction that is synced as a whole.
func issues() string {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `{"id":"bd-%d","title":"Issue %d","description":"What it is about.","status":"open","priority":2,"issue_type":"task","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z"}`+"\n", i, i)
	}
	return b.String()
}

// once are the arguments with which it can be repeated.
func (tr *transition) once() []string {
	if tr.plain {
		return tr.args
	}
	return append(slices.Clone(tr.args), "--op-id", "the-one")
}
