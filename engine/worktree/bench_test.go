package worktree

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkRun is all that is done for one run of a repository with 2000 files: its worktree, its
// result of three files, a clean tree, integration and fast-forward. git-ms is the time in git's
// own commands, own-ms what comes on top of it.
func BenchmarkRun(b *testing.B) {
	f := newFix(b)
	for i := range 2000 {
		f.write(f.top, fmt.Sprintf("pkg%d/file%d.txt", i/50, i), fmt.Sprintln("file", i))
	}
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "many")
	f.reopen()
	ctx := b.Context()
	began, n := time.Now(), 0
	for b.Loop() {
		n++
		run := fmt.Sprint("run-", n)
		tree := f.add(run)
		for i := range 3 {
			f.write(tree.Path, fmt.Sprintf("pkg%d/file%d.txt", i, i*50), fmt.Sprintln(run))
		}
		res := f.snapshot(tree)
		if _, err := f.Patch(ctx, tree.Base, res.Commit, 1<<20); err != nil {
			b.Fatal(err)
		}
		check, err := f.Checkout(ctx, run, res.Commit)
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range []*Tree{check, tree} {
			if kept, err := f.Remove(ctx, t); kept != "" || err != nil {
				b.Fatal(kept, err)
			}
		}
		if err := f.FastForward(ctx, f.integrate(run).Commit); err != nil {
			b.Fatal(err)
		}
	}
	git := float64(f.InGit())
	b.ReportMetric(git/float64(n)/1e6, "git-ms")
	b.ReportMetric((float64(time.Since(began))-git)/float64(n)/1e6, "own-ms≤300")
}
