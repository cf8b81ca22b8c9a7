package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

// A git that was killed while it moved a reference of a run holds up nobody.
func TestALockThatAKilledGitLeft(t *testing.T) {
	f := newFix(t)
	for _, name := range []string{"base", "result"} {
		lock := filepath.Join(f.top, ".git", "refs", "vespe", "run-1", name+".lock")
		if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree := f.add("run-1")
	f.write(tree.Path, "a.txt", "a\n")
	if res := f.snapshot(tree); f.git("rev-parse", runRef("run-1", "result")) != res.Commit {
		t.Error("the result is not kept")
	}
}
