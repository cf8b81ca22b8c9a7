package fsys

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

var errNoOpenat2 = errors.New("openat2 is not available")

// openBeneath opens a directory in one call; the kernel refuses any symbolic link.
func openBeneath(base int, name string) (int, error) {
	fd, err := retry(func() (int, error) {
		fd, err := unix.Openat2(base, name, &unix.OpenHow{
			Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
		})
		if errors.Is(err, unix.EAGAIN) { // something was renamed meanwhile
			err = unix.EINTR
		}
		return fd, err
	})
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.E2BIG):
		return -1, errNoOpenat2 // an old kernel, or a sandbox that does not know the call
	}
	return fd, err
}

func renameExclusive(da int, ba string, db int, bb string) error {
	return supported(unix.Renameat2(da, ba, db, bb, unix.RENAME_NOREPLACE))
}

func exchange(da int, ba string, db int, bb string) error {
	return supported(unix.Renameat2(da, ba, db, bb, unix.RENAME_EXCHANGE))
}

func supported(err error) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		return errors.ErrUnsupported
	}
	return err
}

func replaceFD(from, to int) error { return unix.Dup3(from, to, unix.O_CLOEXEC) }

func syncFS(fd int) error { return supported(unix.Syncfs(fd)) }

// listDir reads a directory with the types that the kernel gives along, so that listing a
// task costs no call per file.
// again says that the descriptor was listed before.
func listDir(fd int, again bool) ([]Entry, error) {
	if again {
		if _, err := unix.Seek(fd, 0, 0); err != nil {
			return nil, err
		}
	}
	var es []Entry
	small := make([]byte, 2048) // enough for a task's directory
	buf := small
	for {
		n, err := retry(func() (int, error) { return unix.Getdents(fd, buf) })
		if errors.Is(err, unix.EINVAL) && len(buf) == len(small) {
			buf = make([]byte, 64<<10)
			continue
		}
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return es, nil
		}
		if es, err = parseDirents(fd, buf[:n], es); err != nil {
			return nil, err
		}
		if len(buf) == len(small) && n > len(small)/2 {
			buf = make([]byte, 64<<10)
		}
	}
}

// parseDirents reads struct linux_dirent64: ino u64, off u64, reclen u16, type u8, name.
func parseDirents(fd int, b []byte, es []Entry) ([]Entry, error) {
	for len(b) >= 19 {
		reclen := int(binary.NativeEndian.Uint16(b[16:]))
		if reclen < 20 || reclen > len(b) {
			return nil, unix.EIO
		}
		rec := b[:reclen]
		b = b[reclen:]
		name := rec[19:]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		if string(name) == "." || string(name) == ".." {
			continue
		}
		e := Entry{Name: string(name)}
		switch rec[18] {
		case unix.DT_REG:
		case unix.DT_DIR:
			e.Type = fs.ModeDir
		case unix.DT_LNK:
			e.Type = fs.ModeSymlink
		case unix.DT_FIFO:
			e.Type = fs.ModeNamedPipe
		case unix.DT_SOCK:
			e.Type = fs.ModeSocket
		case unix.DT_CHR, unix.DT_BLK:
			e.Type = fs.ModeDevice
		default: // DT_UNKNOWN: the file system does not say
			in, err := statAt(fd, e.Name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			e.Type = in.Type
		}
		es = append(es, e)
	}
	return es, nil
}
