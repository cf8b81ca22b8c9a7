package store

import (
	"testing"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// forgettingFS makes its store drop the snapshot whenever the tasks are listed, as another goroutine may then.
type forgettingFS struct {
	fsys.FS
	s *Store
}

func (f forgettingFS) OpenDir(name string) (fsys.Dir, error) {
	if name == layout.TasksDir && f.s.loader.Looking.TryLock() {
		f.s.loader.Looking.Unlock()
		f.s.loader.Forget()
	}
	return f.FS.OpenDir(name)
}

func TestLoadWhileTheSnapshotIsDropped(t *testing.T) {
	s := filled(t, fastDir(t), 3)
	s.setFS(forgettingFS{s.disk.FS, s})
	if snap, err := s.Load(t.Context(), nil); err != nil || snap.Len() != 3 {
		t.Errorf("%d tasks, %v", snap.Len(), err)
	}
}
