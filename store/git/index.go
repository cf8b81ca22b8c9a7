package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrIndexLocked says that another git is at work on the index, or was killed at it.
var ErrIndexLocked = errors.New("the index is locked")

// IndexLock is the lock that every git command takes which changes the index: while it is
// held nobody commits, checks out or merges in this worktree.
type IndexLock struct {
	repo *Repo
	tmp  string // the index as it is to be, until it is placed
	done bool
}

// LockIndex takes it, at once or not at all.
func (r *Repo) LockIndex() (*IndexLock, error) {
	f, err := os.OpenFile(r.indexLock(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: %s", ErrIndexLocked, r.indexLock())
	}
	if err != nil {
		return nil, err
	}
	return &IndexLock{repo: r}, f.Close()
}

func (r *Repo) indexFile() string { return filepath.Join(r.Dir, "index") }
func (r *Repo) indexLock() string { return filepath.Join(r.Dir, "index.lock") }

// Prepare makes the index as it is to be after a commit, aside: every path of the commit
// that the person has not staged anything for gets the commit's version. All else stays as
// it is staged. from and to are commits, below is where they may differ. A file of the same
// owner that is left from before is replaced.
func (l *IndexLock) Prepare(ctx context.Context, owner string, from, to OID, below string) error {
	r := l.repo
	l.tmp = filepath.Join(r.Dir, "vespe-index-"+owner)
	for _, left := range []string{l.tmp, l.tmp + ".lock"} {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := copyFile(r.indexFile(), l.tmp); err != nil {
		return err
	}
	env := []string{"GIT_INDEX_FILE=" + l.tmp}
	pathspec := ":(top,literal)" + strings.TrimSuffix(below, "/")
	staged, err := r.run.run(ctx, env, nil, "diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", string(from), "--", pathspec)
	if err != nil {
		return err
	}
	theirs := rawDiff(staged)
	changed, err := r.run.run(ctx, nil, nil, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", string(from), string(to), "--", pathspec)
	if err != nil {
		return err
	}
	var in strings.Builder
	for path, e := range rawDiff(changed) {
		if _, staged := theirs[path]; !staged {
			fmt.Fprintf(&in, "%s %s\t%s\x00", e.mode, e.oid, path)
		}
	}
	if in.Len() == 0 {
		return nil
	}
	_, err = r.run.run(ctx, env, strings.NewReader(in.String()), "update-index", "-z", "--replace", "--index-info")
	return err
}

// Place moves what was prepared into the lock.
func (l *IndexLock) Place() error { return os.Rename(l.tmp, l.repo.indexLock()) }

// Commit makes what was prepared the index, and gives the lock back.
func (l *IndexLock) Commit() error {
	l.done = true
	return os.Rename(l.repo.indexLock(), l.repo.indexFile())
}

// Release gives the lock back, with the index as it was, unless Commit was called.
func (l *IndexLock) Release() {
	if l.tmp != "" {
		_ = os.Remove(l.tmp) // the next one replaces it
	}
	if !l.done {
		l.done = true
		_ = os.Remove(l.repo.indexLock()) // the next one would say that it is held
	}
}

// Marks identify the lock file as it is and as it will be once Place was called, for
// whoever has to finish after a crash.
func (l *IndexLock) Marks() []string {
	marks := []string{mark(l.repo.indexLock())}
	if l.tmp != "" {
		marks = append(marks, mark(l.tmp))
	}
	return marks
}

func mark(path string) string {
	in, err := os.Lstat(path)
	if err != nil || !in.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf("%d %d %s", in.Size(), in.ModTime().UnixNano(), inode(in))
}

// Adopt takes over the lock of a process that died with it. marks are what Marks said; nil
// when the lock is gone, or another's.
func (r *Repo) Adopt(marks []string) *IndexLock {
	if now := mark(r.indexLock()); now == "" || !slices.Contains(marks, now) {
		return nil
	}
	return &IndexLock{repo: r}
}

func copyFile(from, to string) error {
	in, err := os.Stat(from)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, in.Mode().Perm())
}

type rawEntry struct{ mode, oid string }

// rawDiff reads the output of diff-tree and diff-index: what each path has become.
func rawDiff(out string) map[string]rawEntry {
	found := map[string]rawEntry{}
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		// ":100644 100644 <old> <new> M"
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) == 5 {
			found[fields[i+1]] = rawEntry{f[1], f[3]}
		}
	}
	return found
}
