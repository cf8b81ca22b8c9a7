package store

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"vespe/model"
	"vespe/store/layout"
	"vespe/store/lockqueue"
)

// TestLockIsFirstComeFirstServed: who gives the lock back and wants it again at once gets it after
// all who wait, and these in their order.
func TestLockIsFirstComeFirstServed(t *testing.T) {
	first := newStore(t)
	const writers = 4
	stores := make([]*Store, writers)
	for w := range stores {
		stores[w] = open(t, first.root, testOptions())
		stores[w].writer.LockQueue.OutOfTurn = time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), stuck)
	defer cancel()
	got := make(chan int, 10*writers)
	ask := func(w int) {
		release, err := stores[w].writer.Lock(ctx, nil)
		if err != nil {
			t.Error(err)
			return
		}
		got <- w
		release()
	}
	release, err := first.writer.Lock(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for round := range 3 {
		for w := range stores {
			wg.Go(func() { ask(w) })
			waiting(ctx, t, first, w+1)
		}
		release()
		if release, err = first.writer.Lock(ctx, nil); err != nil {
			t.Fatal(err)
		}
		for w := range stores {
			select {
			case is := <-got:
				if is != w {
					t.Errorf("round %d: writer %d has its turn, not %d", round, is, w)
				}
			default:
				t.Fatalf("round %d: who gave the lock back has it again before writer %d", round, w)
			}
		}
	}
	release()
	wg.Wait()
}

// waiting waits until n writers wait for the lock.
func waiting(ctx context.Context, t *testing.T, s *Store, n int) {
	t.Helper()
	for {
		es, err := os.ReadDir(vespe(s, layout.CacheDir))
		if err != nil || ctx.Err() != nil {
			t.Fatalf("%d writers do not come to wait: %v", n, errors.Join(err, ctx.Err()))
		}
		there := 0
		for _, e := range es {
			if strings.HasPrefix(e.Name(), lockqueue.Prefix) {
				there++
			}
		}
		if there == n {
			return
		}
		runtime.Gosched()
	}
}

// TestStoppedWaiter: one that is first to be given the lock and goes no further keeps nobody from
// writing, and one that died leaves nothing behind.
func TestStoppedWaiter(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	other := open(t, s.root, testOptions())
	const first, dead = layout.CacheDir + "/" + lockqueue.Prefix + "00000000000000000002-ab", layout.CacheDir + "/" + lockqueue.Prefix + "00000000000000000001-ab"
	write(t, vespe(s, dead), "")
	stopped := mustGet(other.disk.FS.TryLock(first))(t)
	defer stopped.Close()
	ctx, cancel := context.WithTimeout(t.Context(), stuck)
	defer cancel()
	if _, err := s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "a"}}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(vespe(s, dead)); !os.IsNotExist(err) {
		t.Errorf("what the dead one left: %v", err)
	}
	// And where there is no cache/ at all.
	must(t, os.RemoveAll(vespe(s, layout.CacheDir)))
	create(t, s, "b", "x\n")
}

// TestLockIsGivenUp: a writer that cannot have the lock says so when its time is up, and keeps neither lock. Readers
// do not care.
func TestLockIsGivenUp(t *testing.T) {
	s := newStore(t)
	other := open(t, s.root, testOptions())
	held, err := other.disk.FS.TryLock(layout.LockFile)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = s.Do(ctx, model.Op{Name: model.CreateTask, Actor: ann, Args: model.NewTask{Name: "a"}})
	wantCode(t, err, model.CodeConflict)
	wantEqual(t, "the last entry for a reader", load(t, other).Seq(), 0)
	must(t, held.Close())
	c := mustGet(other.disk.FS.TryLock(layout.LockFile))(t)
	_ = c.Close()
	must(t, walkFiles(vespe(s, layout.CacheDir), func(path string, _ []byte) {
		if strings.Contains(path, lockqueue.Prefix) {
			t.Errorf("%s is left", path)
		}
	}))
	create(t, s, "a", "x\n")
}
