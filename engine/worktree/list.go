package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/store/git"
)

// entry is a worktree that git knows.
type entry struct {
	path, head string
	branch     string // refs/heads/…; "" when HEAD is detached
	dir        string // its git directory; "" when it cannot be told
}

// worktrees are all worktrees of the repository, the person's first. Git is asked where its files may not say it all: of
// a repository that is bare, and of a worktree that is half made.
func (r *Repo) worktrees(ctx context.Context) ([]entry, error) {
	linked, err := filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(r.common), "worktrees", "*"))
	if err != nil {
		return nil, err
	}
	all := []entry{{path: strings.TrimSuffix(r.common, "/"+gitFile), dir: r.common}}
	ask := all[0].path != r.top
	for _, dir := range linked {
		b, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		path := strings.TrimSuffix(strings.TrimSpace(string(b)), "/"+gitFile)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		ask = ask || err != nil || path == dir
		all = append(all, entry{path: path, dir: dir})
	}
	for i := range all {
		all[i].branch, all[i].head = git.Head(all[i].dir, r.common)
		ask = ask || all[i].branch+all[i].head == ""
	}
	if !ask {
		return all, nil
	}
	return r.worktreesOfGit(ctx, all)
}

// worktreesOfGit are all worktrees as git lists them; it does not tell their directories, which are taken from read.
func (r *Repo) worktreesOfGit(ctx context.Context, read []entry) ([]entry, error) {
	out, err := r.run(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var told []entry
	for _, line := range strings.Split(out, "\x00") {
		key, value, _ := strings.Cut(line, " ")
		if key == "worktree" {
			w := entry{path: value}
			if len(told) == 0 {
				w.dir = r.common
			}
			if i := slices.IndexFunc(read, func(w entry) bool { return w.path == value }); i >= 0 {
				w.dir = read[i].dir
			}
			told = append(told, w)
		}
		if len(told) == 0 {
			continue
		}
		w := &told[len(told)-1]
		switch key {
		case "HEAD":
			w.head = value
		case "branch":
			w.branch = value
		}
	}
	return told, nil
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
