// Package lockqueue orders the processes that want a store's lock.
//
// The lock alone isn't fair: a process that releases it can take it again before a waiting one
// wakes up. So waiting processes form a queue. Each has a file in cache/, named after its arrival
// and locked while the process lives. Only the first one tries the lock. A new process goes to the
// end. An unlocked file belongs to a dead process and is removed. A first process that is
// suspended is skipped after a moment. Only fairness depends on the queue, not correctness.
package lockqueue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
)

const (
	// Prefix begins the name of each file of the queue, in cache/.
	Prefix = "wait-"

	lockFirst = 200 * time.Microsecond // between two looks of who is first,
	lockPoll  = 2 * time.Millisecond   // and of the others, and where it takes long
	lockSoon  = 20 * time.Millisecond  // it takes long after this
)

// Queue is the queue for a store's lock.
type Queue struct {
	Disk      *durable.Files
	OutOfTurn time.Duration // that who is first may stand still

	passed string // who stood still at the head. Guarded by anyone who orders the writers of this process
}

// waiter is a writer on its way to the lock.
type waiter struct {
	q      *Queue
	name   string // of its file in cache/; "" while it has none
	ticket io.Closer
	head   string // who was first when it looked last,
	since  time.Time
}

// Lock waits for the store's lock, as long as ctx allows, whose error it returns then.
func (q *Queue) Lock(ctx context.Context) (release func(), err error) {
	w := &waiter{q: q}
	defer w.leave()
	began := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before := w.before()
		if before == 0 {
			c, err := q.Disk.FS.TryLock(layout.LockFile)
			if err == nil {
				return func() { _ = c.Close() }, nil // closing gives the lock back in any case
			}
			if !errors.Is(err, fsys.ErrLocked) {
				return nil, err
			}
		}
		w.enter()
		wait := lockPoll
		if before < 2 && time.Since(began) < lockSoon {
			wait = lockFirst
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// TryFor takes the lock within a time, out of turn: for who writes nothing.
func (q *Queue) TryFor(ctx context.Context, d time.Duration) (io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c, err := q.Disk.FS.TryLock(layout.LockFile)
	for errors.Is(err, fsys.ErrLocked) && pause(ctx, lockPoll) == nil {
		c, err = q.Disk.FS.TryLock(layout.LockFile)
	}
	return c, err
}

// before is how many others it has to let go first.
func (w *waiter) before() (n int) {
	d, err := w.q.Disk.FS.OpenDir(layout.CacheDir)
	if err != nil {
		return 0 // a clone has none yet
	}
	defer d.Close()
	es, err := d.Entries()
	if err != nil {
		return 0
	}
	head := ""
	for _, e := range es { // by name, that is by time
		if !strings.HasPrefix(e.Name, Prefix) || w.name != "" && e.Name >= w.name || e.Name == w.q.passed {
			continue
		}
		if n == 0 {
			if w.isDead(e.Name) {
				continue
			}
			head = e.Name
		}
		n++
	}
	if head != w.head {
		w.head, w.since = head, time.Now()
	}
	if n > 0 && time.Since(w.since) > w.q.OutOfTurn {
		w.q.passed = head
		return n - 1
	}
	return n
}

// isDead says whether nobody stands behind a file anymore, and then removes it. One that is new
// may not be locked yet.
func (w *waiter) isDead(name string) bool {
	if name >= ticketName(time.Now().Add(-w.q.OutOfTurn)) {
		return false
	}
	c, err := w.q.Disk.FS.TryLock(layout.CacheDir + "/" + name)
	if err != nil {
		return !errors.Is(err, fsys.ErrLocked)
	}
	_ = w.q.Disk.FS.Remove(layout.CacheDir + "/" + name) // best effort, all of it
	_ = c.Close()
	return true
}

func ticketName(at time.Time) string { return fmt.Sprintf("%s%020d", Prefix, at.UnixNano()) }

// enter goes to the end of the queue.
func (w *waiter) enter() {
	if w.name != "" {
		return
	}
	name := ticketName(time.Now()) + "-" + w.q.Disk.Random(4)
	if c, err := w.q.Disk.FS.TryLock(layout.CacheDir + "/" + name); err == nil {
		w.name, w.ticket = name, c
	}
}

func (w *waiter) leave() {
	if w.ticket == nil {
		return
	}
	_ = w.q.Disk.FS.Remove(layout.CacheDir + "/" + w.name) // one that stays is removed by the next that waits
	_ = w.ticket.Close()
}

// pause waits for a time, or for the end of a context, whose error it returns then.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
