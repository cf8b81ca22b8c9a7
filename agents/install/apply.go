package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Apply writes the files of a plan. A file that has changed since the plan was made stops it before anything
// is written. What is remembered is remembered first: a record of what was not written does no harm.
func (p *Plan) Apply() error {
	for i := range p.Files {
		if err := p.Files[i].unchanged(); err != nil {
			return err
		}
	}
	var before []record
	for i := range p.Files {
		f := &p.Files[i]
		if !f.Exists && f.Changed() {
			f.record.Dirs = append(f.record.Dirs, missing(filepath.Dir(f.Path))...)
		}
		if f.record.Edits != nil {
			before = append(before, f.record)
		}
	}
	if err := p.records.put(before); err != nil {
		return fmt.Errorf("can't record the changes for --remove: %w; nothing was changed", err)
	}
	var forget []record
	for i := range p.Files {
		f := &p.Files[i]
		if err := f.apply(); err != nil {
			return fmt.Errorf("%s: %w; the files before it in the list are written", f.Path, err)
		}
		if f.record.Edits == nil {
			forget = append(forget, record{Path: f.Path})
		}
	}
	return p.records.put(forget)
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

// missing are the directories on the way to dir that are not there, the outermost first.
func missing(dir string) (out []string) {
	for {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			return out
		}
		out = slices.Insert(out, 0, dir)
		dir = filepath.Dir(dir)
	}
}

func (f *File) apply() error {
	switch {
	case !f.Changed():
		return nil
	case f.Gone:
		if err := os.Remove(f.Path); err != nil {
			return err
		}
		for _, dir := range slices.Backward(f.record.Dirs) {
			if os.Remove(dir) != nil { // something else is in it
				break
			}
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
