package store

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"vespe/model"
)

// failingSyncAll fails one of its calls.
type failingSyncAll struct {
	FS
	n, at int
}

func (f *failingSyncAll) SyncAll() error {
	if f.n++; f.n == f.at {
		return &fs.PathError{Op: "syncfs", Path: ".", Err: syscall.EIO}
	}
	return f.FS.SyncAll()
}

// A syncfs that failed, for what others wrote maybe, ends no large transaction for good: its files
// are synced one by one then.
func TestAfterAFailedSyncfs(t *testing.T) {
	for at := 1; at <= 3; at++ {
		s := newStore(t)
		f := &failingSyncAll{FS: s.fs, at: at}
		s.fs, s.many = f, 2
		for range 3 {
			var ops []model.Op
			for i := range 6 {
				ops = append(ops, model.Op{Name: model.CreateTask, Actor: ann, New: &model.NewTask{Name: fmt.Sprint("t", i), Objective: "x\n"}})
			}
			if _, err := s.DoAll(t.Context(), ops); err != nil {
				t.Fatalf("call %d: %v", at, err)
			}
		}
		if f.n < at {
			t.Fatalf("%d calls", f.n)
		}
		if n := load(t, open(t, s.root, testOptions())).Len(); n != 18 {
			t.Errorf("call %d: there are %d tasks", at, n)
		}
		projectionHolds(t, s)
	}
}
