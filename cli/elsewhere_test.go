package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/cli/core"
	"vespe/internal/storetest"
	"vespe/store"
)

// A task that another system calls ready waits in the inbox until a person has accepted its plan here. At a terminal
// `start` asks for that.
func TestStartAsksToAcceptWhatWasAcceptedElsewhere(t *testing.T) {
	c := at(t, t.TempDir())
	c.must("init")
	task := filepath.Join(c.dir, ".vespe", "tasks", "tsk-0193775cf10073f7a21458854308f5e3")
	if err := os.MkdirAll(task, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"config.json":  `{"uid": "tsk-0193775cf10073f7a21458854308f5e3", "name": "Parse", "created_at": "2024-11-29T10:00:00Z"}`,
		"status.json":  `{"current_state": "ready", "last_updated_at": "2024-11-29T10:00:00Z"}`,
		"objective.md": "Parse it.\n", "plan.md": "1. Parse.\n",
	} {
		if err := os.WriteFile(filepath.Join(task, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out := c.must("inbox"); !strings.Contains(out, "Parse") {
		t.Errorf("the inbox:\n%s", out)
	}
	if code, _, errs := c.run("start", "Parse"); code == core.ExitOK || !strings.Contains(errs, "vespe plan accept") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	c.typed = strings.NewReader("n\n")
	if code, _, errs := c.run("start", "Parse"); code == core.ExitOK || !strings.Contains(errs, "Accept it? y/N") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	c.typed = strings.NewReader("y\n")
	if out := c.must("start", "Parse"); !strings.Contains(out, "works on it") {
		t.Errorf("start says %s", out)
	}
	if out := c.must("inbox"); strings.Contains(out, "Parse") {
		t.Errorf("the inbox:\n%s", out)
	}
}

// Where nothing is ready, `next` tells of a few acceptances from elsewhere, and how many there are.
func TestNextTellsOfAFewAcceptedElsewhere(t *testing.T) {
	c := at(t, t.TempDir())
	c.must("init")
	if err := storetest.Write(filepath.Join(c.dir, store.Name), storetest.Project(200), 0); err != nil {
		t.Fatal(err)
	}
	out := c.must("next")
	if n := strings.Count(out, "elsewhere, unsigned\n"); !strings.HasPrefix(out, "Nothing is ready.\n") || n != 10 ||
		!strings.Contains(out, " more: vespe inbox --limit 0 lists all\n") {
		t.Errorf("%d are told of:\n%s", n, out)
	}
}
