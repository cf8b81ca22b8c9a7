package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vespe/store/git"
)

// Listed is a worktree of vespe's, as it is recorded and as git knows it.
type Listed struct {
	Run, Task string
	Path      string
	Base      string
	Head      string // the commit that is checked out, as far as git knows
	Reason    string // of its lock, "" when it is not locked
	Check     bool   // a clean tree to verify in
	Alive     bool   // a living process works with it
	Gone      bool   // its directory no longer exists
	Foreign   bool   // git has it where ours lie, but it is not recorded: never removed by vespe
	Port      int
	Made      time.Time
}

// List are the worktrees of the store, the oldest first.
func (r *Repo) List(ctx context.Context) ([]Listed, error) {
	trees, err := r.worktrees(ctx, true)
	if err != nil {
		return nil, err
	}
	names, err := r.records()
	if err != nil {
		return nil, err
	}
	var all []Listed
	for _, name := range names {
		rec, err := r.read(name)
		if err != nil || rec == nil {
			continue // shown as foreign when git has it
		}
		l := Listed{
			Run: rec.Run, Task: rec.Task, Path: r.path(name), Base: rec.Base, Check: rec.check(), Port: rec.Port, Made: rec.Made,
			Alive: held(r.side(name, ".owner")),
		}
		if in, err := os.Lstat(l.Path); err != nil || !in.IsDir() {
			l.Gone = true
		}
		if i := slices.IndexFunc(trees, func(w entry) bool { return w.path == l.Path }); i >= 0 {
			l.Head, l.Reason = trees[i].head, trees[i].reason
			trees = slices.Delete(trees, i, i+1)
		}
		all = append(all, l)
	}
	for _, w := range trees {
		if filepath.Dir(w.path) == r.home {
			all = append(all, Listed{Run: filepath.Base(w.path), Path: w.path, Head: w.head, Reason: w.reason, Foreign: true})
		}
	}
	slices.SortStableFunc(all, func(a, b Listed) int { return a.Made.Compare(b.Made) })
	return all, nil
}

// entry is a worktree that git knows.
type entry struct {
	path, head string
	branch     string // refs/heads/…; "" when HEAD is detached
	reason     string // of the lock
	dir        string // its git directory; "" when it cannot be told
}

// worktrees are all worktrees of the repository, the person's first. Git is asked where its files may not say it all: of
// a repository that is bare, of a worktree that is half made, and for head and reason.
func (r *Repo) worktrees(ctx context.Context, ask bool) ([]entry, error) {
	linked, err := filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(r.common), "worktrees", "*"))
	if err != nil {
		return nil, err
	}
	all := []entry{{path: strings.TrimSuffix(r.common, "/"+gitFile), dir: r.common}}
	ask = ask || all[0].path != r.top
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
			if i := slices.IndexFunc(all, func(w entry) bool { return w.path == value }); i >= 0 {
				w.dir = all[i].dir
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
		case "locked":
			w.reason = value
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
