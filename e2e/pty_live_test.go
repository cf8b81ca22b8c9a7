package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The loop of the live demo ends with the workbench: leaving it is asked about while it works, and then nothing is
// left running.
func TestPtyLiveDemoAsksBeforeItEnds(t *testing.T) {
	bin := binary(t)
	for _, program := range []string{"git", "make", "sort"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the live demo needs %s: %v", program, err)
		}
	}
	dir, state := filepath.Join(t.TempDir(), "live"), t.TempDir()
	x := openProgram(t, exec.Command(bin, "demo", "--live", dir, "--pace", "20"), dir, 120, 40, "XDG_STATE_HOME="+state)
	x.see("the workbench.")
	asked := func() {
		x.press("q")
		x.until("the question", func(s string) bool {
			return strings.Contains(s, "The loop ends") && strings.Contains(s, "y Quit") && !strings.Contains(s, "when the keys rest")
		})
	}
	asked()
	x.press("n")
	x.until("the question gone", func(s string) bool { return !strings.Contains(s, "The loop ends") })
	asked()
	x.press("y")
	code, raw := x.end()
	if code != 0 {
		t.Errorf("it ended with %d", code)
	}
	restored(t, raw)
	// The loop holds its lock for as long as it lives, and its workers end before it.
	locks, err := filepath.Glob(filepath.Join(state, "vespe/runs/*/loop.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("the locks are %v: %v", locks, err)
	}
	f, err := os.Open(locks[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	free := make(chan error, 1)
	go func() { free <- syscall.Flock(int(f.Fd()), syscall.LOCK_SH) }()
	select {
	case err := <-free:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(stuck):
		t.Fatal("the loop goes on without the workbench")
	}
}
