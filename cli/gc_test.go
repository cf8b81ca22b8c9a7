package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vespe/cli/core"
)

// TestGC compacts the log; tasks, their history and their operations stay.
func TestGC(t *testing.T) {
	c := fresh(t)
	says := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	c.must("new", "A", "--op-id", "first")
	says(c.must("gc"), "Nothing to remove")
	for range 60 {
		c.must("rename", "A", "B")
		c.must("rename", "B", "A")
	}
	says(c.must("gc", "--keep", "1d", "--dry-run"), "Nothing to remove")
	var would struct {
		Entries, Through int
		DryRun           bool `json:"dry_run"`
	}
	if c.object(&would, "gc", "--keep", "0", "--dry-run"); would.Entries != 21 || would.Through != 21 || !would.DryRun {
		t.Errorf("it would remove %+v", would)
	}
	says(c.must("gc", "--keep", "0"), "removed 21 log entries")
	for name, want := range map[string]bool{"000000000021.json": false, "000000000022.json": true, "base.ck": true} {
		if _, err := os.Stat(filepath.Join(c.dir, ".vespe", "log", name)); errors.Is(err, fs.ErrNotExist) == want {
			t.Errorf("log/%s: %v", name, err)
		}
	}
	says(c.must("doctor"), "No problems")
	says(c.must("show", "A"), "A  ")
	says(c.must("history", "A"), "New task")
	var again struct {
		Replayed bool
		Seq      int
	}
	if c.object(&again, "new", "A", "--op-id", "first"); !again.Replayed || again.Seq != 1 {
		t.Errorf("the first operation again: %+v", again)
	}
	var list struct{ Total int }
	if c.object(&list, "ls"); list.Total != 1 {
		t.Errorf("%d tasks", list.Total)
	}
	var next struct{ Seq int }
	if c.object(&next, "rename", "A", "C"); next.Seq != 122 {
		t.Errorf("the next entry is %d", next.Seq)
	}
	for _, keep := range []string{"yesterday", "-1h", "16000w"} {
		if code, _, errs := c.run("gc", "--keep", keep); code != core.ExitUsage || !strings.Contains(errs, "such as 90d") {
			t.Errorf("--keep %s: exit code %d, %s", keep, code, errs)
		}
	}
}
