package records

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes a new file of what write puts into it, whole or not at all. It replaces
// nothing.
func WriteFile(name string, write func(*os.File) error) error {
	return Make(name, func(temp string) error {
		f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Sync(), f.Close())
	})
}

// Make lets a file come to be beside its place and puts it there when it is whole. It replaces
// nothing, and leaves nothing behind that is half done.
func Make(name string, write func(temp string) error) error {
	dir, err := os.MkdirTemp(filepath.Dir(name), ".vespe-export-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, filepath.Base(name))
	if err := write(temp); err != nil {
		return err
	}
	if info, err := os.Stat(temp); err == nil && info.IsDir() {
		return os.Rename(temp, name) // onto an empty directory at the most
	}
	err = os.Link(temp, name)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) { // a file system without links
		if _, there := os.Lstat(name); errors.Is(there, fs.ErrNotExist) {
			return os.Rename(temp, name)
		}
	}
	return err
}
