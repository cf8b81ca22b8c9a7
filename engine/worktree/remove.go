package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vespe/store/git"
)

// Remove takes a worktree away when the result holds all that is in it, and what git ignores. kept
// is why it was not removed; it is then closed, and listed. The references of the run stay.
func (r *Repo) Remove(ctx context.Context, t *Tree) (kept string, err error) {
	defer t.Close()
	ctx, unlock, err := r.lock(ctx, lockRefs)
	if err != nil {
		return "", err
	}
	defer unlock()
	ctx = holding(ctx, t.owner)
	rec, err := r.read(t.name)
	if err != nil {
		return "", err
	}
	if rec == nil {
		return "", fmt.Errorf("%w: %s", ErrNoTree, t.Run)
	}
	if rec.State == stateReady && !rec.check() {
		if _, err := os.Lstat(t.Path); err == nil {
			if kept, err := r.holds(ctx, t, rec); err != nil || kept != "" {
				return kept, err
			}
		}
	}
	return "", r.discard(ctx, rec)
}

// holds says what is in a worktree that the result of the run does not have; "" when there is
// nothing.
func (r *Repo) holds(ctx context.Context, t *Tree, rec *record) (kept string, err error) {
	if _, err := r.intact(ctx, t, rec); err != nil {
		var tampered *Tampered
		if errors.As(err, &tampered) {
			return tampered.Error(), nil
		}
		return "", err
	}
	h, err := r.keepHead(ctx, t)
	if err != nil {
		return "", err
	}
	if len(h.conflicts) > 0 {
		return (&Unfinished{h.conflicts}).Error(), nil
	}
	oids, err := r.objects(ctx, runRef(t.Run, "result")+asTree, rec.Base+asTree)
	if err != nil {
		return "", err
	}
	tree := oids[0]
	if tree == "" { // nothing was kept: it may hold what it began with
		tree = oids[1]
	}
	index, drop, err := r.ourIndex(t.name)
	defer drop()
	if err != nil {
		return "", err
	}
	left, err := r.left(ctx, t, index)
	if err != nil {
		return "", err
	}
	// The files are compared with the index: it must be that of the result.
	of, err := r.aside(ctx, t, index, git.Call{Args: []string{"write-tree"}})
	if err != nil {
		return "", err
	}
	switch {
	case strings.TrimSpace(of) != tree:
		return "its result was not saved completely", nil
	case len(left) > 0:
		return "the result does not contain " + some(left), nil
	}
	return "", nil
}

// left are the files of a worktree that an index does not have as they are.
func (r *Repo) left(ctx context.Context, t *Tree, index string) ([]string, error) {
	if at, err := r.programmed(ctx, t); err != nil || at != "" {
		return []string{at}, err
	}
	all, err := r.status(ctx, r.withIndex(t, index, git.Call{}), "all", "none")
	if err != nil {
		return nil, err
	}
	var left []string
	for _, d := range all {
		if d.how != '.' && !stores(d.name) {
			left = append(left, d.name)
		}
	}
	return left, nil
}

// discard removes a worktree that holds nothing, with what is known of it. It continues where an
// earlier one was interrupted. The caller holds lockRefs.
func (r *Repo) discard(ctx context.Context, rec *record) error {
	if rec.State != stateRemoving {
		rec.State = stateRemoving
		if err := r.write(rec); err != nil {
			return err
		}
	}
	path := r.path(rec.Name)
	trees, err := r.worktrees(ctx)
	if err != nil {
		return err
	}
	if err := removeAll(path); err != nil {
		return err
	}
	if err := r.did("files"); err != nil {
		return err
	}
	if slices.ContainsFunc(trees, func(w entry) bool { return w.path == path }) {
		// Twice: it is locked. Of one whose directory is gone nothing else is asked.
		if _, err := r.run(ctx, "worktree", "remove", "--force", "--force", path); err != nil {
			return err
		}
	}
	return r.forget(rec.Name)
}

// removeAll removes a directory, and what is read-only in it: caches of packages often are. Of a link only that goes.
func removeAll(path string) error {
	err := filepath.WalkDir(path, func(at string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		in, err := d.Info()
		if err != nil || in.Mode().Perm()&0o700 == 0o700 {
			return err
		}
		return os.Chmod(at, in.Mode().Perm()|0o700)
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.RemoveAll(path)
}

// sweep removes what dead processes left that holds nothing: worktrees to verify in, and those
// that were being made or removed; and, for one that is to be made anew (name), the rest of one
// whose directory somebody removed. The caller holds lockRefs.
func (r *Repo) sweep(ctx context.Context, name string) error {
	names, err := r.records()
	if err != nil {
		return err
	}
	for _, n := range names {
		rec, err := r.read(n)
		if err != nil {
			if n == name {
				return err
			}
			continue // listed, and left alone
		}
		if rec == nil || held(r.side(n, ".owner")) {
			continue
		}
		_, gone := os.Lstat(r.path(n))
		if rec.check() || rec.State != stateReady || errors.Is(gone, os.ErrNotExist) {
			if err := r.discard(ctx, rec); err != nil && (n == name || ctx.Err() != nil) {
				return err // another one that cannot be removed is listed, and tried again
			}
		}
	}
	return nil
}
