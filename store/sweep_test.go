package store

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"vespe/model"
	"vespe/store/follow"
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

// Another goroutine may drop the snapshot while the tasks are listed.
func TestLoadWhileTheSnapshotIsDropped(t *testing.T) {
	s := filled(t, fastDir(t), 3)
	s.setFS(&hookFS{FS: s.disk.FS, before: only(callOpen, func(name string) {
		if name == layout.TasksDir && s.loader.Looking.TryLock() {
			s.loader.Looking.Unlock()
			s.loader.Forget()
		}
	})})
	if snap, err := s.Load(t.Context(), nil); err != nil || snap.Len() != 3 {
		t.Errorf("%d tasks, %v", snap.Len(), err)
	}
}

// Comparing the files of a store that somebody looks at leaves the other processors alone.
func TestAFollowedStoreIsComparedByOne(t *testing.T) {
	s := filled(t, fastDir(t), 300)
	ctx, end := context.WithCancel(t.Context())
	end()
	s.Follow(ctx, follow.Options{})
	s.background.Wait()
	var now, most atomic.Int32
	s.setFS(&hookFS{FS: s.disk.FS, deep: true, around: func(call, name string, do func() error) error {
		if call != callOpen || !strings.HasPrefix(name, layout.TasksDir+"/") {
			return do()
		}
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		runtime.Gosched() // others come in between, if there are any
		return do()
	}})
	var uids []model.UID
	for i := range 300 {
		uids = append(uids, importOp(i).UID)
	}
	if _, _, err := s.loader.Suspects(t.Context(), uids, nil); err != nil {
		t.Fatal(err)
	}
	wantEqual(t, "tasks were looked at at once", most.Load(), 1)
}
