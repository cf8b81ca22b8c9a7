package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// logFS counts how often an entry of the log is read.
type logFS struct {
	fsys.FS
	reads atomic.Int32
}

func (f *logFS) ReadFile(name string, limit int64) ([]byte, error) {
	if strings.HasPrefix(name, layout.LogDir+"/") {
		f.reads.Add(1)
	}
	return f.FS.ReadFile(name, limit)
}

// A clone comes without cache/. An import is one entry with all tasks: reading that for each of them
// took minutes for some thousand.
func TestASweepReadsTheLastEntryOnce(t *testing.T) {
	reads := func(n int) int32 {
		dir := fastDir(t)
		must(t, filled(t, dir, n).Close())
		must(t, os.RemoveAll(filepath.Join(dir, layout.Name, layout.CacheDir)))
		s := open(t, dir, Options{})
		f := &logFS{FS: s.disk.FS}
		s.setFS(f)
		if _, err := s.Load(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		must(t, s.loader.Sweep(t.Context(), nil, nil))
		return f.reads.Load()
	}
	if few, many := reads(5), reads(200); many > few {
		t.Errorf("files of the log were read %d times for 5 tasks, and %d times for 200", few, many)
	}
}
