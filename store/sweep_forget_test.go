package store

import (
	"testing"

	"vespe/store/layout"
)

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
