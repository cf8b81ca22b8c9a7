package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if code, _, errs := c.run("start", "Parse"); code == exitOK || !strings.Contains(errs, "vespe accept-plan") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	c.typed = strings.NewReader("n\n")
	if code, _, errs := c.run("start", "Parse"); code == exitOK || !strings.Contains(errs, "Accept it? y/N") {
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
