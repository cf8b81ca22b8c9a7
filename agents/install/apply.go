package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Apply writes the files of a plan. A file that has changed since the plan was made stops it before anything
// is written.
func (p *Plan) Apply() error {
	for i := range p.Files {
		if err := p.Files[i].unchanged(); err != nil {
			return err
		}
	}
	for i := range p.Files {
		if err := p.Files[i].apply(); err != nil {
			return fmt.Errorf("%s: %w; the files before it in the list are written", p.Files[i].Path, err)
		}
	}
	return nil
}

func (f *File) unchanged() error {
	b, err := os.ReadFile(f.Path)
	switch gone := errors.Is(err, fs.ErrNotExist); {
	case err != nil && !gone:
		return err
	case gone == f.Exists || !bytes.Equal(b, f.Was):
		return fmt.Errorf("%s has changed since it was read: nothing was changed, try again", f.Path)
	}
	return nil
}

func (f *File) apply() error {
	switch {
	case !f.Changed():
		return nil
	case f.Gone:
		if err := os.Remove(f.Path); err != nil {
			return err
		}
		if dir := filepath.Dir(f.Path); strings.HasPrefix(filepath.Base(dir), ".") {
			_ = os.Remove(dir) // unless something else is in it
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil { //nolint:gosec // as everybody's settings directories
		return err
	}
	return writeWhole(f.Path, f.Is)
}

// writeWhole puts a file in the place of another, with its mode and, where that may be, its owner; half of it
// is never there.
func writeWhole(path string, body []byte) error {
	mode := fs.FileMode(0o644)
	in, err := os.Stat(path)
	if err == nil {
		mode = in.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".vespe-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(body)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if in != nil && err == nil {
		if st, ok := in.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			err = tmp.Chown(int(st.Uid), int(st.Gid))
		}
	}
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	if d, err := os.Open(filepath.Dir(path)); err == nil {
		_ = d.Sync() // not every file system can
		_ = d.Close()
	}
	return nil
}
