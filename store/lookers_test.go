package store

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"vespe/model"
	"vespe/store/follow"
	"vespe/store/layout"
)

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
