//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Signals that end a program leave the terminal as it was found.
func TestPtySignalsRestoreTheTerminal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM} {
		x := openTerminal(t, binary(t), 100, 30)
		x.tasks()
		if err := x.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		code, raw := x.end()
		if code != 0 && code != 1 || strings.Contains(raw, "goroutine ") {
			t.Errorf("%v: exit code %d: %s", sig, code, raw)
		}
		restored(t, raw)
	}
}

// A store that is moved away under an open workbench is said to be gone, its tasks stay on the screen, no
// verdict is taken, and all continues once it is back.
func TestPtyTheStoreGoesAway(t *testing.T) {
	x := openTerminal(t, binary(t), 120, 40)
	x.tasks()
	x.press("/Parse OFX\r")
	x.see("Waits for a person")
	x.press("a")
	x.until("a sheet that takes an answer", func(s string) bool {
		return strings.Contains(s, "y Accept") && !strings.Contains(s, "when the keys rest")
	})
	store, aside := filepath.Join(x.dir, ".vespe"), filepath.Join(x.dir, "elsewhere")
	if err := os.Rename(store, aside); err != nil {
		t.Fatal(err)
	}
	x.press("y")
	x.see("Can't accept the plan") // the yes is answered: what still ran could find the store back in its place
	x.see("STALE")
	x.press("\x1b")
	screen := x.see("moved or deleted")
	if !strings.Contains(screen, "Parse OFX") || strings.Contains(screen, "Accepted the plan") {
		t.Errorf("the screen is %s", screen)
	}
	if _, err := os.Stat(store); err == nil {
		t.Error("the store was made again")
	}
	if err := os.Rename(aside, store); err != nil {
		t.Fatal(err)
	}
	x.until("the store", func(s string) bool { return !strings.Contains(s, "STALE") })
	for _, args := range [][]string{{"rename", "Parse OFX and QFX", "Renamed elsewhere"}, {"verify"}} {
		if out, err := exec.Command(x.bin, append([]string{"-C", x.dir}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
	x.see("Renamed elsewhere")
	out, err := exec.Command(x.bin, "-C", x.dir, "show", "Renamed elsewhere", "--json").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"plan_accepted": false`) {
		t.Errorf("the plan: %v: %s", err, out)
	}
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	x.end()
}
