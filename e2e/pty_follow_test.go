package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What another process does, and what an editor writes, is on the screen without a key.
func TestPtyFollowsOthers(t *testing.T) {
	bin := binary(t)
	x := openTerminal(t, bin, 120, 60)
	x.tasks()
	if out, err := exec.Command(bin, "-C", x.dir, "new", "AAA from elsewhere").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	x.see("AAA from elsewhere")
	made, err := filepath.Glob(filepath.Join(x.dir, ".vespe/tasks/*/config.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range made {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(b); strings.Contains(text, "AAA from elsewhere") {
			if err := os.WriteFile(path, []byte(strings.Replace(text, "AAA from", "AAA renamed", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	x.see("AAA renamed")
	// And the edit becomes history, which the screen need not show.
	var told string
	for start := time.Now(); !strings.Contains(told, "outside vespe"); {
		if time.Since(start) > stuck {
			t.Fatalf("the history does not tell of the edit:\n%s", told)
		}
		out, err := exec.Command(bin, "-C", x.dir, "history", "AAA renamed elsewhere").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		told = string(out)
	}
}
