package core

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What history prints as a difference is one that git apply makes the new text of.
func TestUnifiedCanBeApplied(t *testing.T) {
	dir := t.TempDir()
	line := rapid.SampledFrom([]string{"", "", "one", "two", "  three", "- a", "\tx", "-- y", "++ z", "é"})
	rapid.Check(t, func(t *rapid.T) {
		long := rapid.IntRange(0, 30).Draw(t, "lines")
		body := func(name string) string {
			s := strings.Join(rapid.SliceOfN(line, long, long+5).Draw(t, name), "\n")
			if s != "" && rapid.Bool().Draw(t, name+" ends its last line") {
				s += "\n"
			}
			return s
		}
		old := body("old")
		now := body("new")
		if rapid.Bool().Draw(t, "a small change") {
			at := rapid.IntRange(0, len(old)).Draw(t, "at")
			now = old[:at] + "\nadded\n" + old[at:]
		}
		if old == "" || now == "" || old == now { // a file made or emptied is another kind of patch
			return
		}
		file := filepath.Join(dir, "plan.md")
		if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
		d := Unified("a/plan.md", "b/plan.md", old, now)
		cmd := exec.Command("git", "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(d)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%q\n%q\n%s", err, out, old, now, d)
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != now {
			t.Fatalf("from %q it makes %q, want %q\n%s", old, got, now, d)
		}
	})
}

func TestUnifiedNamesLinesAsDiffDoes(t *testing.T) {
	old := strings.Repeat("l\n", 19) + "\n\n\na\nb\n"
	if d := Unified("a", "b", old, old+"c\n"); !strings.Contains(d, "@@ -22,3 +22,4 @@\n \n a\n b\n+c\n") {
		t.Errorf("it is\n%s", d)
	}
	if d := Unified("/dev/null", "b", "", "one\n"); d != "--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+one\n" {
		t.Errorf("of a new file it is\n%s", d)
	}
}
