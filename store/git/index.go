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
	"time"
)

// ErrIndexLocked says that another git is at work on the index, or was killed at it.
var ErrIndexLocked = errors.New("the index is locked")

// IndexLock is the lock that every git command takes which changes the index: while it is
// held nobody commits, checks out or merges in this worktree. It is made aside, so that its
// Marks can be written down before it is taken: anyone who finds the lock of a dead process
// can tell that it is one of ours.
type IndexLock struct {
	repo  *Repo
	dir   string // in the git directory; holds the lock and the index in the making
	tmp   string // the index as it is to be, until it is placed
	taken bool
	ready bool // the lock holds the index as it is to be
}

// NewIndexLock makes a lock that nobody holds yet. owner is in the name of what a crash
// would leave, for Sweep.
func (r *Repo) NewIndexLock(owner string) (*IndexLock, error) {
	dir, err := os.MkdirTemp(r.Dir, asidePrefix+owner+"-")
	if err != nil {
		return nil, err
	}
	l := &IndexLock{repo: r, dir: dir}
	if err := os.WriteFile(l.aside(), nil, 0o644); err != nil {
		l.Release()
		return nil, err
	}
	return l, nil
}

func (l *IndexLock) aside() string { return filepath.Join(l.dir, "lock") }

// Take takes the lock, at once or not at all: ErrIndexLocked.
func (l *IndexLock) Take() error {
	err := os.Link(l.aside(), l.repo.indexLock())
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) { // no hard links here
		var f *os.File
		if f, err = os.OpenFile(l.repo.indexLock(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			err = f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %s", ErrIndexLocked, l.repo.indexLock())
	}
	l.taken = err == nil
	return err
}

func (r *Repo) indexFile() string { return filepath.Join(r.Dir, "index") }
func (r *Repo) indexLock() string { return filepath.Join(r.Dir, "index.lock") }

// Prepare makes the index as it is to be after a commit, aside: every path of the commit
// that the person has not staged anything for gets the commit's version. All else stays as
// it is staged; that a path is to be added (git add -N) stages nothing. from and to are commits, below is where they may differ.
func (l *IndexLock) Prepare(ctx context.Context, from, to OID, below string) error {
	r := l.repo
	aside, err := l.copyIndex()
	if err != nil {
		return err
	}
	pathspec := ":(top,literal)" + strings.TrimSuffix(below, "/")
	staged, err := aside.run(ctx, aside.vars, nil, "diff-index", "--cached", "--ita-invisible-in-index", "--raw", "--no-renames", "--no-abbrev", "-z", string(from), "--", pathspec)
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
	return aside.update(ctx, in.String())
}

// indexCopy is the index aside, and a git that works on it.
type indexCopy struct {
	runner

	vars    []string
	file    string
	written time.Time // when the index was, which the copy keeps
}

// copyIndex copies the index aside. Git, when it writes an index, looks into files that may have changed since, through the
// filters that the repository names. In an empty worktree there are none to look into; with its old time the index
// still says which ones these are.
func (l *IndexLock) copyIndex() (*indexCopy, error) {
	r := l.repo
	l.tmp = filepath.Join(l.dir, "index")
	empty := filepath.Join(l.dir, "none")
	if err := os.Mkdir(empty, 0o700); err != nil {
		return nil, err
	}
	written, err := copyFile(r.indexFile(), l.tmp)
	if err != nil {
		return nil, err
	}
	c := &indexCopy{runner: *r.run, file: l.tmp, written: written}
	c.dir = empty
	c.vars = []string{"GIT_INDEX_FILE=" + l.tmp, "GIT_DIR=" + r.Dir, "GIT_WORK_TREE=" + empty}
	return c, nil
}

// update sets entries of the copy, as `git update-index --index-info` reads them.
func (c *indexCopy) update(ctx context.Context, entries string) error {
	if entries == "" {
		return nil
	}
	if _, err := c.run(ctx, c.vars, strings.NewReader(entries), "update-index", "-z", "--replace", "--index-info"); err != nil {
		return err
	}
	return os.Chtimes(c.file, time.Time{}, c.written)
}

// Place moves what was prepared into the lock.
func (l *IndexLock) Place() error {
	err := os.Rename(l.tmp, l.repo.indexLock())
	l.ready = err == nil
	return err
}

// Ready reports whether Commit has something to make the index: Place was called, by us or
// by anyone who held the lock before.
func (l *IndexLock) Ready() bool { return l.ready }

// Commit makes what was prepared the index, and gives the lock back.
func (l *IndexLock) Commit() error {
	l.taken = false
	return os.Rename(l.repo.indexLock(), l.repo.indexFile())
}

// Release gives the lock back, with the index as it was, unless Commit was called.
func (l *IndexLock) Release() {
	if l.taken {
		l.taken = false
		_ = os.Remove(l.repo.indexLock()) // the next one would say that it is held
	}
	if l.dir != "" {
		_ = os.RemoveAll(l.dir) // Sweep removes it otherwise
	}
}

const markPrepared = 1 // where Marks has what Prepare made

// Marks identify the lock file as it will be once it is taken, and once Place was called,
// for anyone who has to finish after a crash.
func (l *IndexLock) Marks() []string {
	marks := []string{mark(l.aside())}
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
	now := mark(r.indexLock())
	at := slices.Index(marks, now)
	if now == "" || at < 0 {
		return nil
	}
	return &IndexLock{repo: r, taken: true, ready: at == markPrepared}
}

// copyFile copies a file, and returns when it was written.
func copyFile(from, to string) (time.Time, error) {
	in, err := os.Stat(from)
	if err != nil {
		return time.Time{}, err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return time.Time{}, err
	}
	return in.ModTime(), os.WriteFile(to, b, in.Mode().Perm())
}

const asidePrefix = "vespe-index-"

// Sweep removes what dead processes of an owner left in the git directory.
func (r *Repo) Sweep(owner string) error {
	left, err := filepath.Glob(filepath.Join(globQuote(r.Dir), asidePrefix+owner+"-*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
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
