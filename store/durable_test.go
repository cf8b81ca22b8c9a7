package store

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"vespe/model"
)

// A syncfs that failed, for what others wrote maybe, ends no large transaction for good: its files
// are synced one by one then.
func TestAfterAFailedSyncfs(t *testing.T) {
	for at := 1; at <= 3; at++ {
		s := newStore(t)
		n := 0
		s.loader.Pending.Projector.Many = 2
		s.setFS(&hookFS{FS: s.disk.FS, before: func(call, name string) error {
			if call != callSyncAll {
				return nil
			}
			if n++; n == at {
				return &fs.PathError{Op: "syncfs", Path: name, Err: syscall.EIO}
			}
			return nil
		}})
		for range 3 {
			var ops []model.Op
			for i := range 6 {
				ops = append(ops, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: fmt.Sprint("t", i), Objective: "x\n"}})
			}
			if _, err := s.DoAll(t.Context(), ops); err != nil {
				t.Fatalf("call %d: %v", at, err)
			}
		}
		if n < at {
			t.Fatalf("%d calls", n)
		}
		if n := load(t, open(t, s.root, testOptions())).Len(); n != 18 {
			t.Errorf("call %d: there are %d tasks", at, n)
		}
		projectionHolds(t, s)
	}
}
