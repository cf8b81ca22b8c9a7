package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"vespe/store/git"
)

// entry is a worktree that git knows.
type entry struct {
	path   string
	branch string // refs/heads/…; "" when HEAD is detached
	dir    string // its git directory, as it says itself; "" when it cannot be told
}

// worktrees are all worktrees of the repository, the person's first.
func (r *Repo) worktrees(ctx context.Context) (all []entry, err error) {
	out, err := r.run(ctx, "worktree", "list", "--porcelain", "-z")
	for _, line := range split(out) {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "worktree":
			w := entry{path: value, dir: r.common}
			if len(all) > 0 {
				w.dir, _ = gitDirOf(value)
			}
			all = append(all, w)
		case "branch":
			all[len(all)-1].branch = value
		}
	}
	return all, err
}

// rewrites reports whether a branch is being rebased or bisected in a worktree: HEAD is detached
// there as long as that takes.
func (w entry) rewrites(branch string) bool {
	short := strings.TrimPrefix(branch, heads)
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		b, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
		if said := strings.TrimSpace(string(b)); err == nil && w.dir != "" && (said == branch || said == short) {
			return true
		}
	}
	return false
}

// busy names what is unfinished in a worktree.
func (w entry) busy() string {
	if w.dir == "" {
		return ""
	}
	return git.BusyIn(w.dir)
}
