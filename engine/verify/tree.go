package verify

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"vespe/model/complexity"
	"vespe/store/git"
)

// maxRead is how much of a file is read to find out what it sets up, in bytes.
const maxRead = 1 << 20

// tree is what a commit holds.
type tree struct {
	dir   string          // a clean checkout of it
	oid   string          // of the tree
	files map[string]bool // by their paths, slashes between
	dirs  map[string]bool // those that they lie in; "." is the top
}

// open reads the tree of a commit, which must be the one that is checked out.
func open(ctx context.Context, in *Input) (*tree, error) {
	repo, err := git.Find(ctx, in.Env, in.Dir)
	if err != nil {
		return nil, err
	}
	out, err := repo.Run(ctx, git.Call{Args: []string{"rev-parse", "HEAD", "HEAD^{tree}"}})
	if err != nil {
		return nil, err
	}
	head, oid, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if head != in.Commit {
		return nil, fmt.Errorf("verify: %s has %s checked out, not %s", in.Dir, head, in.Commit)
	}
	out, err = repo.Run(ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", oid}})
	if err != nil {
		return nil, err
	}
	t := &tree{dir: in.Dir, oid: oid, files: map[string]bool{}, dirs: map[string]bool{".": true}}
	for name := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if name == "" {
			continue // a commit of nothing
		}
		t.files[name] = true
		for dir := path.Dir(name); !t.dirs[dir]; dir = path.Dir(dir) {
			t.dirs[dir] = true
		}
	}
	if in.Changed == nil {
		out, err = repo.Run(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "-m", "--first-parent", "--root", "--no-commit-id", "--name-only", head}})
		if err != nil {
			return nil, err
		}
		in.Changed = strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	}
	return t, nil
}

// has reports whether a path of a task's spec is in the commit, as a file or a directory.
func (t *tree) has(name string) bool {
	name = complexity.CleanPath(name)
	if t.files[name] || t.dirs[name] && name != "." {
		return true
	}
	if strings.ContainsAny(name, "*?[") {
		for f := range t.files {
			if ok, err := path.Match(name, f); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// missing are those of names that are not in the commit.
func (t *tree) missing(names []string) (out []string) {
	for _, name := range names {
		if !t.has(name) {
			out = append(out, name)
		}
	}
	return out
}

// read is the beginning of a file of the commit, "" where there is none. Nothing outside of the checkout is
// read, wherever links lead.
func (t *tree) read(name string) string {
	if !t.files[name] {
		return ""
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	if st, err := root.Lstat(name); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxRead))
	return string(b)
}
