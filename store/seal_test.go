package store

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// sealedFS refuses to change anything in one task's directory, as if its permissions had been
// taken away.
type sealedFS struct {
	fsys.FS
	s *seal
}

// seal is what the processes of a test have of it in common.
type seal struct {
	uid     model.UID
	closed  atomic.Bool
	onEntry atomic.Bool // it closes once an entry of the log is committed
	hidden  bool        // its files cannot be read either
}

// open gives the permissions back.
func (q *seal) open() {
	q.onEntry.Store(false)
	q.closed.Store(false)
}

func (q *seal) options() Options {
	opt := testOptions()
	opt.Rand = nil
	opt.FS = func(root string) (fsys.FS, error) {
		disk, err := fsys.OpenFS(root)
		return &sealedFS{disk, q}, err
	}
	return opt
}

func (f *sealedFS) refused(names ...string) error {
	for _, name := range names {
		if f.s.closed.Load() && strings.HasPrefix(name+"/", layout.TaskDir(f.s.uid)+"/") {
			return &os.PathError{Op: "write", Path: name, Err: syscall.EACCES}
		}
	}
	return nil
}

func (f *sealedFS) ReadFile(name string, limit int64) ([]byte, error) {
	if f.s.hidden {
		if err := f.refused(name); err != nil {
			return nil, err
		}
	}
	return f.FS.ReadFile(name, limit)
}

func (f *sealedFS) Writable(name string) error {
	return errors.Join(f.refused(name), f.FS.Writable(name))
}

func (f *sealedFS) Create(name string) (fsys.File, error) {
	if err := f.refused(name); err != nil {
		return nil, err
	}
	return f.FS.Create(name)
}

func (f *sealedFS) Link(a, b string) error {
	if err := f.refused(a, b); err != nil {
		return err
	}
	err := f.FS.Link(a, b)
	if err == nil && strings.HasPrefix(b, layout.LogDir+"/") && f.s.onEntry.Swap(false) {
		f.s.closed.Store(true)
	}
	return err
}

func (f *sealedFS) Rename(a, b string) error {
	if err := f.refused(a, b); err != nil {
		return err
	}
	return f.FS.Rename(a, b)
}

func (f *sealedFS) Exchange(a, b string) error {
	if err := f.refused(a, b); err != nil {
		return err
	}
	return f.FS.Exchange(a, b)
}

func (f *sealedFS) Remove(name string) error {
	if err := f.refused(name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *sealedFS) Mkdir(name string) error {
	if err := f.refused(name); err != nil {
		return err
	}
	return f.FS.Mkdir(name)
}
