package store

import (
	"os"
	"sync"
	"testing"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/follow"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// noted is a watcher that says nothing by itself and notes what it is asked to watch.
type noted struct {
	events chan fsys.Change
	mu     sync.Mutex
	dirs   map[string]int32
	adds   map[string]int
	more   chan struct{}
}

func newNoted() *noted {
	return &noted{events: make(chan fsys.Change), dirs: map[string]int32{}, adds: map[string]int{}, more: make(chan struct{}, 1)}
}

func (n *noted) Add(path string, dir int32) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dirs[path] = dir
	n.adds[path]++
	select {
	case n.more <- struct{}{}:
	default:
	}
	return nil
}

func (n *noted) Events() <-chan fsys.Change { return n.events }
func (n *noted) Lost() <-chan error         { return nil }
func (n *noted) Close() error               { return nil }

func (n *noted) options() follow.Options {
	return follow.Options{Watch: func() (fsys.Watcher, error) { return n, nil }}
}

// watches waits until the directory of a task was asked for so many times, and is its
// number.
func (n *noted) watches(t *testing.T, s *Store, uid model.UID, times int) int32 {
	t.Helper()
	path := vespe(s, layout.TaskDir(uid))
	for {
		n.mu.Lock()
		dir, adds := n.dirs[path], n.adds[path]
		n.mu.Unlock()
		if adds >= times {
			return dir
		}
		select {
		case <-n.more:
		case <-t.Context().Done():
			t.Fatal("never")
		}
	}
}

// A directory that went and came back, or was replaced by another, is another to the system.
func TestFollowWatchesWhatCameBack(t *testing.T) {
	s := newStore(t)
	uid := planned(t, s, "one")
	w := newNoted()
	following(t, s, w.options())
	dir := w.watches(t, s, uid, 1)
	w.events <- fsys.Change{Dir: dir, Gone: true}
	if again := w.watches(t, s, uid, 2); again != dir {
		t.Errorf("it was %d and is %d", dir, again)
	}
}

// As many tasks as before may be others.
func TestFollowWatchesWhatTookAPlace(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	one := planned(t, s, "one")
	w := newNoted()
	r := following(t, s, w.options())
	dir := w.watches(t, s, one, 1)
	must(t, os.RemoveAll(vespe(s, layout.TaskDir(one))))
	w.events <- fsys.Change{Dir: dir, Gone: true}
	until(t, r, "end of the task", func(snap *snapshot.Snapshot, _ model.Update) bool {
		_, there := snap.Task(one)
		return !there
	})
	two := planned(t, s, "two")
	w.watches(t, s, two, 1)
}

// Who loads the store compares its files once everything is watched: what is written
// meanwhile is told.
func TestLoadComparesWhatIsWatched(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ops := make([]model.Op, 1200)
	for i := range ops {
		ops[i] = importOp(i)
	}
	do(t, s, ops...)
	checkpointed(t, s)
	w := newNoted()
	r := open(t, s.Root(), Options{})
	warm(t, r)
	r.Follow(t.Context(), w.options())
	load(t, r)
	w.mu.Lock()
	defer w.mu.Unlock()
	if got, want := len(w.dirs), len(ops)+3; got != want {
		t.Errorf("%d of %d directories were watched when the files had been compared", got, want)
	}
}
