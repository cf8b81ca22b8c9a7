package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	lockRefs      = "refs.lock"      // worktrees and references; held for moments
	lockIntegrate = "integrate.lock" // one result at a time; held while it is verified
	lockPoll      = 10 * time.Millisecond
)

// lock waits for a lock of the repository, which every vespe that works in it takes, whatever the
// store. On a file system without locks it does not wait.
func (r *Repo) lock(ctx context.Context, name string) (unlock func(), err error) {
	dir := filepath.Join(r.common, "vespe")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		f, err := flock(filepath.Join(dir, name))
		if err == nil {
			return func() { release(f) }, nil
		}
		if !errors.Is(err, ErrInUse) {
			return nil, err
		}
		select { // a blocking flock could not be given up
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// flock takes the lock of a file, at once or not at all: ErrInUse. It is held until the file is
// closed, and no program that is started inherits it.
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

// own takes the lock of whoever works with a worktree. Somebody may just be looking whether it is
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
