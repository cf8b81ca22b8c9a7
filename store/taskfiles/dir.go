package taskfiles

import (
	"io"
	"io/fs"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// OpenAll opens tasks/; where there is none it has nothing in it.
func OpenAll(f fsys.FS) (fsys.Dir, error) {
	d, err := f.OpenDir(layout.TasksDir)
	if fsys.Missing(err) {
		return noDir{}, nil
	}
	return d, err
}

// noDir is a directory that is not there.
type noDir struct{}

func (noDir) Entries() ([]fsys.Entry, error)         { return nil, nil }
func (noDir) ReadFile(string, int64) ([]byte, error) { return nil, fs.ErrNotExist }
func (noDir) OpenDir(string) (fsys.Dir, error)       { return nil, fs.ErrNotExist }
func (noDir) Stat(string) (fsys.Info, error)         { return fsys.Info{}, fs.ErrNotExist }
func (noDir) Close() error                           { return nil }
func (noDir) Open(string, int64) (io.ReadCloser, fsys.Info, error) {
	return nil, fsys.Info{}, fs.ErrNotExist
}
