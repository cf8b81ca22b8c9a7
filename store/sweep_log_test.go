package store

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"vespe/store/layout"
)

// A clone comes without cache/. An import is one entry with all tasks: reading that for each of them
// took minutes for some thousand.
func TestASweepReadsTheLastEntryOnce(t *testing.T) {
	reads := func(n int) int32 {
		dir := fastDir(t)
		must(t, filled(t, dir, n).Close())
		must(t, os.RemoveAll(filepath.Join(dir, layout.Name, layout.CacheDir)))
		s := open(t, dir, Options{})
		var reads atomic.Int32
		s.setFS(&hookFS{FS: s.disk.FS, before: only(callRead, func(name string) {
			if strings.HasPrefix(name, layout.LogDir+"/") {
				reads.Add(1)
			}
		})})
		mustGet(s.Load(t.Context(), nil))(t)
		must(t, s.loader.Sweep(t.Context(), nil, nil))
		return reads.Load()
	}
	if few, many := reads(5), reads(200); many > few {
		t.Errorf("files of the log were read %d times for 5 tasks, and %d times for 200", few, many)
	}
}
