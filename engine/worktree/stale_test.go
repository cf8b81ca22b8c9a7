package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

// A `git worktree add` that was killed, wherever it was, stops neither the next run nor the same one again.
func TestAnAddThatWasKilled(t *testing.T) {
	t.Parallel()
	f := newFix(t)
	for i := range 5 { // as git writes them, one after the other
		for _, empty := range []bool{false, true} {
			tree := f.add("run-1")
			rec, err := f.read("run-1")
			if err != nil {
				t.Fatal(err)
			}
			rec.State, rec.Dir = stateAdding, ""
			if err := f.Repo.write(rec); err != nil {
				t.Fatal(err)
			}
			tree.Close()
			files := []string{"locked", "gitdir", filepath.Join(tree.Path, gitFile), "HEAD", "commondir"}
			for k, name := range files {
				if !filepath.IsAbs(name) {
					name = filepath.Join(tree.dir, name)
				}
				switch {
				case k == i && empty:
					err = os.WriteFile(name, nil, 0o644)
				case k >= i:
					err = os.Remove(name)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, run := range []string{"run-2", "run-1"} {
				tree, err := f.Add(t.Context(), run, "t", "main")
				if err != nil {
					t.Fatalf("%s after an add that was killed at %s (empty: %v): %v", run, files[i], empty, err)
				}
				if kept, err := f.Remove(t.Context(), tree); err != nil || kept != "" {
					t.Fatal(kept, err)
				}
			}
		}
	}
}
