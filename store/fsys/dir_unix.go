//go:build unix

package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"vespe/store/layout"
)

// osDir is an open directory. It is used by one goroutine at a time.
type osDir struct {
	fd   int
	name string
	// listed is the last listing when it was short: a name in it that is a regular file
	// need not be asked about again before it is opened.
	listed []Entry
	again  bool // it was listed before
}

const shortListing = 32

func (d *osDir) Close() error { return unix.Close(d.fd) }

func (d *osDir) full(name string) string { return path.Join(d.name, name) }

func (d *osDir) check(op, name string) error {
	if !layout.ValidName(name) || strings.ContainsRune(name, '/') || name == "." {
		return &fs.PathError{Op: op, Path: d.full(name), Err: fs.ErrInvalid}
	}
	return nil
}

func (d *osDir) known(name string) bool {
	for i := range d.listed {
		if d.listed[i].Name == name {
			return d.listed[i].Type == 0
		}
	}
	return false
}

func (d *osDir) ReadFile(name string, limit int64) ([]byte, error) {
	if err := d.check("read", name); err != nil {
		return nil, err
	}
	return readAt(d.fd, name, d.full(name), limit, d.known(name))
}

func (d *osDir) Open(name string, limit int64) (io.ReadCloser, Info, error) {
	if err := d.check("open", name); err != nil {
		return nil, Info{}, err
	}
	fd, in, err := openAt(d.fd, name, d.full(name), limit, d.known(name))
	if err != nil {
		return nil, in, err
	}
	f := os.NewFile(uintptr(fd), d.full(name))
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(f, limit), f}, in, nil
}

func (d *osDir) OpenDir(name string) (Dir, error) {
	if err := d.check("open", name); err != nil {
		return nil, err
	}
	fd, err := retry(func() (int, error) { return unix.Openat(d.fd, name, dirFlags, 0) })
	if err != nil {
		if in, serr := statAt(d.fd, name); serr == nil && in.Type != fs.ModeDir {
			return nil, &NotRegularError{d.full(name), Describe(in.Type) + " where a directory belongs"}
		}
		return nil, &fs.PathError{Op: "open", Path: d.full(name), Err: err}
	}
	return &osDir{fd: fd, name: d.full(name)}, nil
}

func (d *osDir) Stat(name string) (Info, error) {
	if err := d.check("stat", name); err != nil {
		return Info{}, err
	}
	in, err := statAt(d.fd, name)
	if err != nil {
		return in, &fs.PathError{Op: "stat", Path: d.full(name), Err: err}
	}
	return in, nil
}

func (d *osDir) Entries() ([]Entry, error) {
	es, err := listDir(d.fd, d.again)
	d.again = true
	if err != nil {
		return nil, &fs.PathError{Op: "list", Path: d.name, Err: err}
	}
	slices.SortFunc(es, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	d.listed = nil
	if len(es) <= shortListing {
		d.listed = es
	}
	return es, nil
}

// openAt opens a regular file below an open directory: looked at before it is opened
// (unless its type is known) and again once it is open.
func openAt(dir int, base, name string, limit int64, known bool) (int, Info, error) {
	if !known {
		in, err := statAt(dir, base)
		if err == nil {
			err = CheckReadable(name, in, limit)
		}
		if err != nil {
			return -1, in, wrap("open", name, err)
		}
	}
	fd, err := retry(func() (int, error) { return unix.Openat(dir, base, readFlags, 0) })
	if err != nil {
		return -1, Info{}, wrap("open", name, err)
	}
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	in := infoOf(&st)
	if err == nil {
		err = CheckReadable(name, in, limit)
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, in, wrap("open", name, err)
	}
	return fd, in, nil
}

func readAt(dir int, base, name string, limit int64, known bool) ([]byte, error) {
	fd, in, err := openAt(dir, base, name, limit, known)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	// One byte more than it has, to see a file that grows while it is read.
	buf := make([]byte, in.Size+1)
	n := 0
	for {
		m, err := retry(func() (int, error) { return unix.Read(fd, buf[n:]) })
		if err != nil {
			return nil, wrap("read", name, err)
		}
		n += m
		if m == 0 || int64(n) == in.Size {
			return buf[:n:n], nil
		}
		if n == len(buf) {
			if int64(n) > limit {
				return nil, &TooLargeError{name, int64(n), limit}
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// mapLeast is the size from which mapping a file is cheaper than reading it.
const mapLeast = 1 << 20

// mapAt also says whether the bytes are the file itself.
func mapAt(dir int, base, name string, limit int64) (b []byte, isFile bool, err error) {
	fd, in, err := openAt(dir, base, name, limit, false)
	if err != nil {
		return nil, false, err
	}
	defer unix.Close(fd)
	// Who may cut a mapped file off in place may end this process; a copy is only a copy.
	if in.Size < mapLeast || int(in.UID) != os.Geteuid() {
		b := make([]byte, in.Size)
		for n := 0; n < len(b); {
			m, err := retry(func() (int, error) { return unix.Read(fd, b[n:]) })
			if err != nil {
				return nil, false, wrap("read", name, err)
			}
			if m == 0 {
				return b[:n], false, nil
			}
			n += m
		}
		return b, false, nil
	}
	b, err = unix.Mmap(fd, 0, int(in.Size), unix.PROT_READ, unix.MAP_PRIVATE)
	return b, err == nil, wrap("map", name, err)
}

func statAt(dir int, base string) (Info, error) {
	var st unix.Stat_t
	err := unix.Fstatat(dir, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	return infoOf(&st), err
}

func wrap(op, name string, err error) error {
	var errno unix.Errno
	if errors.As(err, &errno) {
		if errno == unix.ELOOP {
			return &NotRegularError{name, "a symbolic link"}
		}
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return err
}

// infoOf reads a struct whose fields have other widths on other systems.
func infoOf(st *unix.Stat_t) Info {
	var t fs.FileMode
	switch uint32(st.Mode) & unix.S_IFMT { //nolint:unconvert // 16 bits on macOS
	case unix.S_IFREG:
	case unix.S_IFDIR:
		t = fs.ModeDir
	case unix.S_IFLNK:
		t = fs.ModeSymlink
	case unix.S_IFIFO:
		t = fs.ModeNamedPipe
	case unix.S_IFSOCK:
		t = fs.ModeSocket
	case unix.S_IFCHR:
		t = fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		t = fs.ModeDevice
	default:
		t = fs.ModeIrregular
	}
	return Info{
		Type: t, Size: st.Size, Ino: st.Ino, Exec: st.Mode&unix.S_IXUSR != 0,
		Links:   uint64(st.Nlink), //nolint:unconvert // 16 bits on macOS
		UID:     st.Uid,
		Dev:     uint64(st.Dev), //nolint:unconvert // 32 bits on macOS
		ModTime: time.Unix(st.Mtim.Unix()),
		Changed: time.Unix(st.Ctim.Unix()),
	}
}
