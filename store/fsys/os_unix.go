//go:build unix

package fsys

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"vespe/store/layout"
)

// osFS is the FS of a real directory. Everything is opened relative to a descriptor of
// .vespe, with no symbolic link allowed in any element: os.Root would keep us inside the
// root, but it follows links that stay inside (a/plan.md → ../b/plan.md), and it walks
// each name element by element.
type osFS struct {
	root, base int         // descriptors of the directory that holds .vespe, and of .vespe
	name       string      // of the root
	walk       atomic.Bool // openat2 is missing or forbidden: walk element by element
	closed     atomic.Bool

	mu   sync.Mutex // guards maps
	maps [][]byte   // that are files
}

// OpenFS opens the .vespe of a root directory. A .vespe that is a symbolic link is refused.
func OpenFS(root string) (FS, error) {
	rfd, bfd, err := openBoth(root)
	if err != nil {
		return nil, err
	}
	return &osFS{root: rfd, base: bfd, name: root}, nil
}

// openBoth opens a root directory and its .vespe.
func openBoth(root string) (rfd, bfd int, err error) {
	rfd, err = retry(func() (int, error) {
		return unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return -1, -1, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	bfd, err = retry(func() (int, error) { return unix.Openat(rfd, layout.Name, dirFlags, 0) })
	if err != nil {
		_ = unix.Close(rfd)
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
			return -1, -1, &NotRegularError{".", "not a directory of its own (a symbolic link or a file)"}
		}
		return -1, -1, &fs.PathError{Op: "open", Path: path.Join(root, layout.Name), Err: err}
	}
	return rfd, bfd, nil
}

func (f *osFS) gone() error { return &MovedError{path.Join(f.name, layout.Name)} }

func (f *osFS) Named() error {
	if f.closed.Load() {
		return nil
	}
	var is, was unix.Stat_t
	if err := retry0(func() error { return unix.Fstat(f.base, &was) }); err != nil {
		return err
	}
	err := retry0(func() error { return unix.Lstat(path.Join(f.name, layout.Name), &is) })
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), err == nil && (is.Dev != was.Dev || is.Ino != was.Ino):
		return f.gone()
	}
	return err
}

func (f *osFS) Reopen() (bool, error) {
	err := f.Named()
	var gone *MovedError
	if !errors.As(err, &gone) {
		return false, err
	}
	rfd, bfd, err := openBoth(f.name)
	if Missing(err) {
		return false, gone
	}
	if err != nil {
		return false, err
	}
	defer func() { _, _ = unix.Close(rfd), unix.Close(bfd) }()
	if in, err := statAt(bfd, layout.RootMarker); Missing(err) || err == nil && in.Type != 0 {
		return false, gone // it may be made just now
	} else if err != nil {
		return false, err
	}
	// Anyone who uses the descriptors at this moment continues with the one or the other.
	if err := replaceFD(rfd, f.root); err != nil {
		return false, err
	}
	return true, replaceFD(bfd, f.base)
}

const (
	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	readFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// retry repeats a call that a signal interrupted before it did anything.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}

func retry0(call func() error) error {
	_, err := retry(func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (f *osFS) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	return errors.Join(unix.Close(f.base), unix.Close(f.root))
}

// openDir opens a directory below .vespe and returns its descriptor.
func (f *osFS) openDir(name string) (int, error) {
	if !layout.ValidName(name) {
		return -1, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if !f.walk.Load() {
		fd, err := openBeneath(f.base, name)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, errNoOpenat2) {
			return -1, f.dirError(name, err)
		}
		f.walk.Store(true)
	}
	fd, err := retry(func() (int, error) { return unix.Openat(f.base, ".", dirFlags, 0) })
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	for el := range strings.SplitSeq(name, "/") {
		if el == "." {
			continue
		}
		next, err := retry(func() (int, error) { return unix.Openat(fd, el, dirFlags, 0) })
		_ = unix.Close(fd)
		if err != nil {
			return -1, f.dirError(name, err)
		}
		fd = next
	}
	return fd, nil
}

func (f *osFS) dirError(name string, err error) error {
	if errors.Is(err, unix.ELOOP) {
		return &NotRegularError{name, "or lies behind a symbolic link"}
	}
	if errors.Is(err, unix.ENOTDIR) {
		var st unix.Stat_t
		if unix.Fstatat(f.base, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			return &NotRegularError{name, Describe(infoOf(&st).Type) + " where a directory belongs"}
		}
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// at opens the directory that holds a name and calls do with it and the last element.
func (f *osFS) at(op, name string, do func(dir int, base string) error) error {
	dir, base := path.Split(name)
	fd := f.base
	if dir != "" {
		var err error
		if fd, err = f.openDir(strings.TrimSuffix(dir, "/")); err != nil {
			return err
		}
		defer unix.Close(fd)
	}
	if !layout.ValidName(base) || base == "." {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if err := retry0(func() error { return do(fd, base) }); err != nil {
		var pe *fs.PathError
		var nr *NotRegularError
		var tl *TooLargeError
		if errors.As(err, &pe) || errors.As(err, &nr) || errors.As(err, &tl) || errors.Is(err, ErrLocked) {
			return err
		}
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (f *osFS) at2(op, a, b string, do func(da int, ba string, db int, bb string) error) error {
	return f.at(op, a, func(da int, ba string) error {
		return f.at(op, b, func(db int, bb string) error { return do(da, ba, db, bb) })
	})
}

func (f *osFS) ReadFile(name string, limit int64) (b []byte, err error) {
	err = f.at("read", name, func(dir int, base string) error {
		b, err = readAt(dir, base, name, limit, false)
		return err
	})
	return b, err
}

func (f *osFS) Map(name string, limit int64) (b []byte, err error) {
	var isFile bool
	err = f.at("map", name, func(dir int, base string) error {
		b, isFile, err = mapAt(dir, base, name, limit)
		return err
	})
	if isFile {
		f.mu.Lock()
		f.maps = append(f.maps, b)
		f.mu.Unlock()
	}
	return b, err
}

func (f *osFS) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.maps {
		_ = unix.Madvise(b, unix.MADV_DONTNEED) // advice: nothing is lost but memory that stays
	}
}

func (f *osFS) ReadBeside(name string, limit int64) ([]byte, error) {
	if strings.ContainsRune(name, '/') || !layout.ValidName(name) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return readAt(f.root, name, name, limit, false)
}

func (f *osFS) Stat(name string) (in Info, err error) {
	if name == "." {
		var st unix.Stat_t
		if err := unix.Fstat(f.base, &st); err != nil {
			return Info{}, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		return infoOf(&st), nil
	}
	err = f.at("stat", name, func(dir int, base string) error {
		in, err = statAt(dir, base)
		return err
	})
	return in, err
}

func (f *osFS) Writable(name string) error {
	if name == "." {
		if err := unix.Faccessat(f.base, ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
			return &fs.PathError{Op: "write to", Path: name, Err: err}
		}
		return nil
	}
	return f.at("write to", name, func(dir int, base string) error {
		return unix.Faccessat(dir, base, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	})
}

func (f *osFS) Create(name string) (file File, err error) {
	err = f.at("create", name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
		if err == nil {
			file = os.NewFile(uintptr(fd), name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (f *osFS) Overwrite(name string, body []byte) error {
	return f.at("write", name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_WRONLY|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
		if err := CheckReadable(name, infoOf(&st), int64(len(body))); err != nil {
			return err
		}
		n, err := unix.Pwrite(fd, body, 0)
		if err == nil && n < len(body) {
			err = io.ErrShortWrite
		}
		return err
	})
}

func (f *osFS) Append(name string) (file File, size int64, err error) {
	err = f.at("append to", name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return wrap("append to", name, err)
		}
		var st unix.Stat_t
		err = unix.Fstat(fd, &st)
		if err == nil {
			err = CheckReadable(name, infoOf(&st), math.MaxInt64)
		}
		if err != nil {
			_ = unix.Close(fd)
			return err
		}
		file, size = os.NewFile(uintptr(fd), name), st.Size
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return file, size, nil
}

func (f *osFS) ReadPart(name string, offset int64, most int) (b []byte, size int64, err error) {
	err = f.at("read", name, func(dir int, base string) error {
		fd, in, err := openAt(dir, base, name, math.MaxInt64, false)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		size = in.Size
		offset := ClampOffset(offset, size)
		b = make([]byte, min(int64(most), size-offset))
		n := 0
		for n < len(b) {
			m, err := retry(func() (int, error) { return unix.Pread(fd, b[n:], offset+int64(n)) })
			if err != nil {
				return wrap("read", name, err)
			}
			if m == 0 {
				break // it was cut off meanwhile
			}
			n += m
		}
		b = b[:n]
		return nil
	})
	return b, size, err
}

func (f *osFS) Link(oldName, newName string) error {
	return f.at2("link", oldName, newName, func(da int, ba string, db int, bb string) error {
		err := unix.Linkat(da, ba, db, bb, 0)
		switch {
		case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			if moved := renameExclusive(da, ba, db, bb); !errors.Is(moved, errors.ErrUnsupported) {
				return moved
			}
		}
		return err
	})
}

func (f *osFS) Rename(oldName, newName string) error {
	return f.at2("rename", oldName, newName, unix.Renameat)
}

func (f *osFS) Exchange(a, b string) error {
	return f.at2("exchange", a, b, exchange)
}

func (f *osFS) Remove(name string) error {
	return f.at("remove", name, func(dir int, base string) error {
		err := unix.Unlinkat(dir, base, 0)
		if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.EPERM) {
			if rm := unix.Unlinkat(dir, base, unix.AT_REMOVEDIR); rm == nil || !errors.Is(rm, unix.ENOTDIR) {
				return rm
			}
		}
		return err
	})
}

func (f *osFS) Mkdir(name string) error {
	return f.at("mkdir", name, func(dir int, base string) error { return unix.Mkdirat(dir, base, 0o755) })
}

func (f *osFS) SyncDir(name string) error {
	fd, err := f.openDir(name)
	if err != nil {
		return err
	}
	d := os.NewFile(uintptr(fd), name) // its Sync is F_FULLFSYNC on macOS
	return errors.Join(d.Sync(), d.Close())
}

func (f *osFS) SyncAll() error {
	err := syncFS(f.base)
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return &fs.PathError{Op: "syncfs", Path: ".", Err: err}
	}
	return err
}

func (f *osFS) TryLock(name string) (c io.Closer, err error) {
	err = f.at("lock", name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_RDWR|unix.O_CREAT|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o644)
		if err != nil {
			return err
		}
		var mine, there unix.Stat_t
		err = unix.Fstat(fd, &mine)
		if err == nil && infoOf(&mine).Type != 0 {
			err = &NotRegularError{name, Describe(infoOf(&mine).Type)}
		}
		if err == nil {
			err = unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
			switch {
			case errors.Is(err, unix.EWOULDBLOCK):
				err = ErrLocked
			case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS):
				err = nil // no locks here: the lock is fairness, the link is correctness
			}
		}
		// A lock on a file that is no longer the one under the name locks nothing.
		if err == nil {
			if err = unix.Fstatat(dir, base, &there, unix.AT_SYMLINK_NOFOLLOW); err == nil &&
				(mine.Ino != there.Ino || mine.Dev != there.Dev) {
				err = ErrLocked
			}
		}
		if err != nil {
			_ = unix.Close(fd)
			return err
		}
		c = os.NewFile(uintptr(fd), name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (f *osFS) OpenDir(name string) (Dir, error) {
	fd, err := f.openDir(name)
	if err != nil {
		return nil, err
	}
	return &osDir{fd: fd, name: name}, nil
}

// ClampOffset is where to read from in a file of a size; a negative offset counts from the end.
func ClampOffset(offset, size int64) int64 {
	if offset < 0 {
		offset += size
	}
	return max(0, min(offset, size))
}
