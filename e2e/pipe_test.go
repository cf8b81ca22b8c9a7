package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A reader that has seen enough closes the pipe, as `vespe task tree | head` does: that is no
// failure, and what was to be written to the store is.
func TestClosedPipe(t *testing.T) {
	bin, dir := binary(t), t.TempDir()
	into := func(closed bool, args ...string) error {
		cmd := exec.Command(bin, append([]string{"-C", dir}, args...)...)
		if closed {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			cmd.Stdout = w
		}
		return cmd.Run()
	}
	if err := into(false, "init"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"new", "A"}, {"tree"}, {"--json", "ls"}, {}, {"--help"}, {"doctor"}} {
		if err := into(true, args...); err != nil {
			t.Errorf("%q into a closed pipe: %v", args, err)
		}
	}
	if out, err := exec.Command(bin, "-C", dir, "ls").Output(); err != nil || !strings.Contains(string(out), "A") {
		t.Errorf("the task was not made: %q %v", out, err)
	}
}
