//go:build unix && !linux

package fsys

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

var errNoOpenat2 = errors.New("openat2 is not available")

func openBeneath(int, string) (int, error) { return -1, errNoOpenat2 }

func renameExclusive(int, string, int, string) error { return errors.ErrUnsupported }

func exchange(int, string, int, string) error { return errors.ErrUnsupported }

func replaceFD(from, to int) error {
	if err := unix.Dup2(from, to); err != nil {
		return err
	}
	unix.CloseOnExec(to)
	return nil
}

func syncFS(int) error { return errors.ErrUnsupported }

func listDir(fd int, _ bool) ([]Entry, error) {
	dup, err := unix.Dup(fd)
	if err != nil {
		return nil, err
	}
	d := os.NewFile(uintptr(dup), ".")
	defer d.Close()
	if _, err := d.Seek(0, 0); err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	es := make([]Entry, 0, len(names))
	for _, n := range names {
		in, err := statAt(fd, n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		es = append(es, Entry{Name: n, Type: in.Type})
	}
	return es, nil
}
