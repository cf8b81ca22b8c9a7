package store

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"vespe/model"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// countingFS counts how many tasks are open at once.
type countingFS struct {
	fsys.FS
	now, most atomic.Int32
}

type countingDir struct {
	fsys.Dir
	f *countingFS
}

func (f *countingFS) OpenDir(name string) (fsys.Dir, error) {
	d, err := f.FS.OpenDir(name)
	if err == nil && name == layout.TasksDir {
		d = &countingDir{d, f}
	}
	return d, err
}

func (d *countingDir) OpenDir(name string) (fsys.Dir, error) {
	n := d.f.now.Add(1)
	for most := d.f.most.Load(); n > most && !d.f.most.CompareAndSwap(most, n); most = d.f.most.Load() {
	}
	runtime.Gosched() // others come in between, if there are any
	sub, err := d.Dir.OpenDir(name)
	d.f.now.Add(-1)
	return sub, err
}

// Comparing the files of a store that somebody looks at leaves the other processors alone.
func TestAFollowedStoreIsComparedByOne(t *testing.T) {
	s := filled(t, fastDir(t), 300)
	ctx, end := context.WithCancel(t.Context())
	end()
	s.Follow(ctx, follow.Options{})
	s.background.Wait()
	f := &countingFS{FS: s.disk.FS}
	s.setFS(f)
	var uids []model.UID
	for i := range 300 {
		uids = append(uids, importOp(i).UID)
	}
	if _, _, err := s.loader.Suspects(t.Context(), uids, nil); err != nil {
		t.Fatal(err)
	}
	if most := f.most.Load(); most != 1 {
		t.Errorf("%d tasks were looked at at once", most)
	}
}
