package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each example of CONTRIBUTING.md applies to the files that it changes. `make torture` also runs the commands that it
// begins with, which build most of the program anew.
func TestExamples(t *testing.T) { examples(t, false) }

// examples applies each example to a copy of the files that it changes, and may run its commands on the tree with those in
// place.
func examples(t *testing.T, run bool) {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	contributing, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Glob(filepath.Join(root, "docs/examples/*.patch"))
	if err != nil || len(examples) < 6 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	for _, example := range examples {
		t.Run(strings.TrimSuffix(filepath.Base(example), ".patch"), func(t *testing.T) {
			if !strings.Contains(string(contributing), "(docs/examples/"+filepath.Base(example)+")") {
				t.Error("CONTRIBUTING.md has no link to it")
			}
			patch, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			overlay, commands := applied(t, root, example, string(patch)), 0
			head, _, _ := strings.Cut(string(patch), "diff --git ")
			for line := range strings.Lines(head) {
				words := strings.Fields(line)
				if len(words) < 2 || words[0] != "go" {
					continue
				}
				if commands++; !run {
					continue
				}
				cmd := exec.CommandContext(t.Context(), "go", append([]string{words[1], "-overlay", overlay}, words[2:]...)...) //nolint:gosec // ours
				cmd.Dir = root
				if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "no tests to run") {
					t.Errorf("%s: %v\n%s", strings.TrimSpace(line), err, out)
				}
			}
			if commands == 0 {
				t.Error("it begins with no command")
			}
		})
	}
}

// applied writes the files that a patch leaves, and returns the file by which Go finds them in place of those of root.
func applied(t *testing.T, root, example, patch string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for line := range strings.Lines(patch) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "+++ b/")
		if !ok {
			continue
		}
		to := filepath.Join(dir, name)
		replace[filepath.Join(root, name)] = to
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", example)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("it does not apply; make the change again and write it with git diff -U2: %v\n%s", err, out)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
