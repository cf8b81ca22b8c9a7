package demo

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vespe/model"
	"vespe/store"
)

// scripted are the tasks that the worker knows, each after what it builds on.
var scripted = []string{
	"Refuse what does not balance", "Read a bank's CSV", "Map payees to accounts by rules", "Leave out duplicates",
	"Balance of each account", "Income by month", "Balance as a web page", "Getting started guide",
}

func TestLive(t *testing.T) {
	now := time.Date(2026, 3, 4, 1, 6, 7, 0, time.UTC)
	config, err := LiveConfig(0.5)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Init(t.TempDir(), store.Options{Scratch: true, Now: func() time.Time { return now }, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := BuildLive(t.Context(), s, now, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Load(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Policy()
	if w := p.Worker(); err != nil || !IsLive(w) || w.Parallel != 2 || w.Format != "claude" || w.Argv[2] != "--pace=0.5" {
		t.Errorf("config.json gives %+v %v", w, err)
	}
	total := snap.Total()
	if total[model.StatusReady] != 2 || total[model.StatusBlocked] != 5 || total[model.StatusReviewPlan] != 1 || total[model.StatusDone] != 2 || snap.Len() != 10 {
		t.Errorf("%d tasks: %v", snap.Len(), total)
	}
	known := 0
	for i := range snap.Len() {
		if slices.Contains(scripted, snap.At(i).Config.Name) {
			known++
		}
	}
	if known != len(scripted) || known+2 != snap.Len() {
		t.Errorf("%d of %d scripts are for tasks that are there", known, len(scripted))
	}
	if problems, err := s.Fsck().Doctor(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("doctor finds %+v %v", problems, err)
	}
}

// works lets the worker work on a task in dir, and returns what it prints and what it ran.
func works(t *testing.T, dir, prompt string) (said string, ran []string) {
	t.Helper()
	var out bytes.Buffer
	w := Worker{
		Prompt: []byte(prompt), Dir: dir, Vespe: "vespe", Task: "tsk-1", Out: &out, Pace: 1,
		Wait: func(context.Context, time.Duration) {},
		Exec: func(_ context.Context, argv []string) (string, int, error) {
			ran = append(ran, strings.Join(argv, " "))
			return "", 0, nil
		},
	}
	if err := w.Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String(), ran
}

func tests(t *testing.T, dir string) error {
	t.Helper()
	cmd := exec.Command("sh", "test/run.sh")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	return err
}

func TestTheScriptsAreWorkThatPasses(t *testing.T) {
	dir := t.TempDir()
	if err := WriteProject(dir); err != nil {
		t.Fatal(err)
	}
	if err := tests(t, dir); err != nil {
		t.Fatal("the project's own tests:", err)
	}
	for _, name := range scripted {
		prompt := "# " + name + "\n\nYou work, attempt 2 of 3.\n\n## Decisions\n\n- “" + ruleQuestion + "”: human:ann accepted, “" + firstRule + "”\n\n## Rules\n"
		said, ran := works(t, dir, prompt)
		if strings.Contains(said, `"is_error":true`) || strings.Count(said, `"type":"result"`) != 1 || ran[len(ran)-1] != "make test" {
			t.Errorf("%s: ran %q and said %s", name, ran, said)
		}
	}
	if err := tests(t, dir); err != nil {
		t.Error("what all scripts write together fails:", err)
	}
	// What the first attempt at duplicates leaves is what the test that is there finds.
	if err := os.Remove(filepath.Join(dir, "lib/dedupe.sh")); err != nil {
		t.Fatal(err)
	}
	works(t, dir, "# Leave out duplicates\n\nYou work, attempt 1 of 3.\n")
	if tests(t, dir) == nil {
		t.Error("the first attempt at duplicates passes")
	}
}

func TestTheScriptAsksAndKnowsNoMore(t *testing.T) {
	dir := t.TempDir()
	if err := WriteProject(dir); err != nil {
		t.Fatal(err)
	}
	_, ran := works(t, dir, "# Map payees to accounts by rules\n\nYou work, attempt 1 of 3.\n")
	if len(ran) != 1 || !strings.HasPrefix(ran[0], "sh -c vespe request ask tsk-1 --title '"+ruleQuestion+"'") {
		t.Errorf("without an answer it ran %q", ran)
	}
	if said, _ := works(t, dir, "# Something else\n"); !strings.Contains(said, `"is_error":true`) {
		t.Errorf("of another task it said %s", said)
	}
	w := Worker{Dir: t.TempDir()}
	if err := w.Work(t.Context()); err == nil {
		t.Error("it works outside of the demo")
	}
}
