package e2e

import (
	"os/exec"
	"regexp"
	"testing"
)

// What one chooses first opens in the program that was built: the demo, and a store that init has made.
func TestPtyFirstSteps(t *testing.T) {
	bin, dir := binary(t), t.TempDir()
	x := openStore(t, bin, dir, 120, 40)
	screen := x.see("look at a demo")
	x.press(regexp.MustCompile(`(\d+)  look at a demo`).FindStringSubmatch(screen)[1] + "\r")
	x.see("Plans to review")
	x.press("q")
	if code, raw := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	} else {
		restored(t, raw)
	}
	x = openProgram(t, exec.Command(bin, "-C", dir, "init"), dir, 120, 40)
	x.see("1  open the workbench")
	x.press("1\r")
	x.see("No tasks yet")
	x.press("q")
	if code, _ := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
