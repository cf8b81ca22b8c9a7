package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"vespe/store/git"
)

// entry is a worktree that git knows.
type entry struct {
	path   string
	branch string // refs/heads/…; "" when HEAD is detached
	dir    string // its git directory; "" when it cannot be told
}

// worktrees are all worktrees of the repository, the person's first.
func (r *Repo) worktrees(ctx context.Context) (all []entry, err error) {
	out, err := r.run(ctx, "worktree", "list", "--porcelain", "-z")
	linked := r.linked()
	for _, line := range split(out) {
		switch key, value, _ := strings.Cut(line, " "); key {
		case "worktree":
			w := entry{path: value, dir: r.common}
			if len(all) > 0 {
				w.dir = linked[value]
			}
			all = append(all, w)
		case "branch":
			all[len(all)-1].branch = value
		}
	}
	return all, err
}

// linked are the git directories of linked worktrees, by their path. One that is missing or not mounted keeps its
// directory until git prunes it, with whatever is unfinished there.
func (r *Repo) linked() map[string]string {
	dirs := map[string]string{}
	names, _ := os.ReadDir(filepath.Join(r.common, "worktrees")) // none yet
	for _, d := range names {
		name := filepath.Join(r.common, "worktrees", d.Name(), "gitdir")
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		at := filepath.Dir(strings.TrimSpace(string(b)))
		if !filepath.IsAbs(at) {
			at = filepath.Join(filepath.Dir(name), at)
		}
		dirs[at] = filepath.Dir(name)
	}
	return dirs
}

// rewrites reports whether a branch is being rebased or bisected in a worktree: HEAD is detached
// there as long as that takes. What cannot be read may be.
func (w entry) rewrites(branch string) bool {
	short := strings.TrimPrefix(branch, heads)
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"} {
		b, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(name)))
		said := strings.TrimSpace(string(b))
		if w.dir == "" || err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && (said == branch || said == short) {
			return true
		}
	}
	return false
}

// busy names what is unfinished in a worktree.
func (w entry) busy() string {
	if w.dir == "" {
		return "something unreadable"
	}
	return git.BusyIn(w.dir)
}
