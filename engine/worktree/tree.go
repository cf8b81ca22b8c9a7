package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"vespe/store/git"
)

// Tree is a worktree of a run. As long as it is not closed, no other process takes it over.
type Tree struct {
	Run, Path, Base string

	name  string
	dir   string // its git directory
	owner *os.File
}

// Close gives the worktree up, for this process or another to Reopen. It stays.
func (t *Tree) Close() {
	if t.owner != nil {
		release(t.owner)
		t.owner = nil
	}
}

// Add makes the worktree of a run: detached at base, or where base is "" at the tip of the
// integration branch with the target brought in, locked against git worktree prune, outside the
// repository. What an earlier Add of the run that was interrupted left is removed. Errors are
// ErrExists, *Conflict when the target cannot be brought in, *Refused.
func (r *Repo) Add(ctx context.Context, run, task, base string) (*Tree, error) {
	if err := validRun(run); err != nil {
		return nil, err
	}
	var err error
	if base == "" {
		base, err = r.Tip(ctx)
	} else {
		base, err = r.mustCommit(ctx, base)
	}
	if err != nil {
		return nil, err
	}
	return r.add(ctx, &record{Name: run, Run: run, Task: task, Base: base})
}

// Checkout makes a clean tree of a commit, to verify it in. One that the run has already is
// replaced. Remove takes it away whatever it holds.
func (r *Repo) Checkout(ctx context.Context, run, commit string) (*Tree, error) {
	return r.checkout(ctx, run, run+checkSuffix, commit)
}

func (r *Repo) checkout(ctx context.Context, run, name, commit string) (*Tree, error) {
	if err := validRun(run); err != nil {
		return nil, err
	}
	base, err := r.mustCommit(ctx, commit)
	if err != nil {
		return nil, err
	}
	return r.add(ctx, &record{Name: name, Run: run, Base: base})
}

func (r *Repo) add(ctx context.Context, rec *record) (*Tree, error) {
	t, err := r.register(ctx, rec)
	if err != nil {
		return nil, err
	}
	if err := r.populate(ctx, t, rec); err != nil {
		t.Close() // what is there is removed by the next one: nobody worked in it
		return nil, err
	}
	return t, nil
}

// populate brings the files into a worktree. The lock of the repository is not held: it takes as
// long as there are files.
func (r *Repo) populate(ctx context.Context, t *Tree, rec *record) (err error) {
	ctx = holding(ctx, t.owner)
	_, err = r.call(ctx, git.Call{
		Dir: t.Path, Env: r.env(t), Config: []string{"core.splitIndex=false"}, // one file, to be copied
		Args: []string{"reset", "-q", "--hard", "--no-recurse-submodules"},
	})
	if err != nil {
		return err
	}
	if err := r.did("index"); err != nil {
		return err
	}
	if err := copyIndex(filepath.Join(t.dir, "index"), r.side(t.name, ".index")); err != nil {
		return err
	}
	if rec.Programs, err = r.programs(ctx); err != nil {
		return err
	}
	rec.State = stateReady
	return r.write(rec)
}

// register makes the worktree without its files.
func (r *Repo) register(ctx context.Context, rec *record) (*Tree, error) {
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := r.sweep(ctx, rec.Name); err != nil {
		return nil, err
	}
	owner, err := own(ctx, r.side(rec.Name, ".owner"))
	if err != nil {
		return nil, err
	}
	t := &Tree{Run: rec.Run, Path: r.path(rec.Name), Base: rec.Base, name: rec.Name, owner: owner}
	if err := r.registered(ctx, t, rec); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (r *Repo) registered(ctx context.Context, t *Tree, rec *record) (err error) {
	ctx = holding(ctx, t.owner)
	if _, err := os.Lstat(t.Path); err == nil {
		return fmt.Errorf("%w: %s", ErrExists, t.Path)
	}
	rec.State = stateAdding
	if err := r.write(rec); err != nil {
		return err
	}
	if !rec.check() {
		if err := r.setRef(ctx, runRef(rec.Run, "base"), rec.Base, "*", "vespe: base of "+rec.Run); err != nil {
			return err
		}
	}
	_, err = r.call(ctx, git.Call{
		Config: []string{"worktree.useRelativePaths=false"},
		Args:   []string{"worktree", "add", "-q", "--detach", "--no-checkout", "--lock", "--reason", lockReason + rec.Name, t.Path, rec.Base},
	})
	if err != nil {
		return err
	}
	if rec.Dir, err = gitDirOf(t.Path); err != nil {
		return err
	}
	t.dir = rec.Dir
	return r.write(rec)
}

// Reopen takes over the worktree of a run that was closed, or whose process is dead. Errors are
// ErrNoTree and ErrInUse.
func (r *Repo) Reopen(ctx context.Context, run string) (*Tree, error) {
	if err := validRun(run); err != nil {
		return nil, err
	}
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return nil, err
	}
	defer unlock()
	rec, err := r.read(run)
	if err != nil {
		return nil, err
	}
	if rec == nil || rec.State != stateReady {
		return nil, fmt.Errorf("%w: %s", ErrNoTree, run)
	}
	if in, err := os.Lstat(r.path(run)); err != nil || !in.IsDir() {
		return nil, fmt.Errorf("%w: %s is gone", ErrNoTree, r.path(run))
	}
	owner, err := own(ctx, r.side(run, ".owner"))
	if err != nil {
		return nil, err
	}
	return &Tree{Run: rec.Run, Path: r.path(run), Base: rec.Base, name: rec.Name, dir: rec.Dir, owner: owner}, nil
}

const gitFile = ".git"

// gitDirOf is the git directory that a worktree names.
func gitDirOf(path string) (string, error) {
	b, err := os.ReadFile(filepath.Join(path, gitFile))
	if err != nil {
		return "", err
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("%s says %q", filepath.Join(path, gitFile), b)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(path, dir)
	}
	return dir, nil
}

// env has git work in a worktree without asking what lies in it, which the worker may have changed.
func (r *Repo) env(t *Tree) []string {
	return []string{"GIT_DIR=" + t.dir, "GIT_COMMON_DIR=" + r.common, "GIT_WORK_TREE=" + t.Path}
}

// inTree runs git in a worktree, with the HEAD and the index that its worker has.
func (r *Repo) inTree(ctx context.Context, t *Tree, args ...string) (string, error) {
	return r.call(ctx, git.Call{Dir: t.Path, Env: r.env(t), Args: args})
}

// aside runs git on the files of a worktree with an index of ours, and nothing of what git keeps
// for the worktree itself: not its HEAD, not its settings.
func (r *Repo) aside(ctx context.Context, t *Tree, index string, c git.Call) (string, error) {
	return r.call(ctx, r.withIndex(t, index, c))
}

func (r *Repo) withIndex(t *Tree, index string, c git.Call) git.Call {
	c.Dir = t.Path
	c.Env = append(c.Env, "GIT_DIR="+r.common, "GIT_WORK_TREE="+t.Path, "GIT_INDEX_FILE="+index)
	c.Config = append(c.Config, "core.untrackedCache=false", "core.bare=false", "core.splitIndex=false")
	return c
}

// ourIndex is a copy of the index of a worktree as vespe last knew it, and how it is removed. Only
// one is made at a time, by anyone who works with the worktree: the lock that a git left there which
// was killed is nobody's.
func (r *Repo) ourIndex(name string) (path string, drop func(), err error) {
	path = r.side(name, ".next")
	drop = func() {
		_ = os.Remove(path)
		_ = os.Remove(path + ".lock")
	}
	drop()
	return path, drop, copyIndex(r.side(name, ".index"), path)
}

// copyIndex copies an index with its time, by which git knows the files that it has to look into.
func copyIndex(from, to string) error {
	in, err := os.Lstat(from)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, b, 0o600), os.Chtimes(to, in.ModTime(), in.ModTime()))
}
