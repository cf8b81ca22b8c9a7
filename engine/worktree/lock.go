package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	lockRefs      = "refs.lock"      // worktrees and references; held for moments
	lockIntegrate = "integrate.lock" // one result at a time; held while it is verified
	lockReason    = "vespe "         // what git is told for a lock of a worktree begins so
	lockPoll      = 10 * time.Millisecond
	lockPollMost  = 200 * time.Millisecond // somebody verifies: it may take minutes
)

// lock waits for a lock of the repository, which every vespe that works in it takes, whatever the
// store. What git is told with the context that is returned holds the lock, too: when we are killed,
// the next one waits until that git has ended. On a file system without locks it does not wait.
func (r *Repo) lock(ctx context.Context, name string) (locked context.Context, unlock func(), err error) {
	dir := filepath.Join(r.common, "vespe")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	for wait := lockPoll; ; wait = min(2*wait, lockPollMost) {
		f, err := flock(filepath.Join(dir, name))
		if err == nil {
			if name == lockRefs {
				r.completeAdds()
			}
			return holding(ctx, f), func() { release(f) }, nil
		}
		if !errors.Is(err, ErrInUse) {
			return nil, nil, err
		}
		select { // a blocking flock could not be given up
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// completeAdds writes the file that a killed `git worktree add` of vespe's left empty: as long as it is, no git
// works in the whole repository. What else was left half made, sweep removes. The caller holds lockRefs.
func (r *Repo) completeAdds() {
	dirs, _ := os.ReadDir(filepath.Join(r.common, "worktrees")) // none yet
	for _, d := range dirs {
		dir := filepath.Join(r.common, "worktrees", d.Name())
		file := filepath.Join(dir, "commondir")
		if in, err := os.Lstat(file); err != nil || !in.Mode().IsRegular() || in.Size() > 0 {
			continue
		}
		if why, err := os.ReadFile(filepath.Join(dir, "locked")); err == nil && strings.HasPrefix(string(why), lockReason) {
			_ = os.WriteFile(file, []byte("../..\n"), 0o644) // git says why not, if it can't be written
		}
	}
}

type heldKey struct{}

// holding adds a file to those that a git holds open.
func holding(ctx context.Context, f *os.File) context.Context {
	if f == nil {
		return ctx
	}
	return context.WithValue(ctx, heldKey{}, append(slices.Clip(heldBy(ctx)), f))
}

func heldBy(ctx context.Context) []*os.File {
	files, _ := ctx.Value(heldKey{}).([]*os.File)
	return files
}

// flock takes the lock of a file, at once or not at all: ErrInUse. It is held until the file is
// released; of the programs that are started, only a git that is to hold it gets it.
func flock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = ErrInUse
	case errors.Is(err, syscall.ENOTSUP):
		err = nil
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// release gives a lock back. Closing the file alone would not, as long as a program is being
// started in another goroutine: until then it has all our files open.
func release(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN)
	_ = f.Close()
}

// own takes the lock of anyone who works with a worktree. Somebody may just be looking whether it is
// held: that takes moments.
func own(ctx context.Context, path string) (*os.File, error) {
	const looks = 10
	for range looks {
		f, err := flock(path)
		if !errors.Is(err, ErrInUse) {
			return f, err
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, ErrInUse
}

// held reports whether some process holds the lock of a file.
func held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer release(f)
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
