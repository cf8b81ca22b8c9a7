package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// The lock alone is nobody's turn: who gives it back and wants it again is there before anyone
// that waits has noticed. So those who wait stand in a queue: each has a file in cache/, named
// for when it came and locked as long as it lives, and only who is first tries the lock. Who
// comes while others wait goes behind them. A file that nobody has locked is of one that died,
// and is removed. One that is first and goes no further, being stopped, is passed over after a
// moment. It is all for fairness: of what the queue cannot do nothing but that depends.
const (
	waitPrefix = "wait-"
	lockFirst  = 200 * time.Microsecond // between two looks of who is first,
	lockPoll   = 2 * time.Millisecond   // and of the others, and where it takes long
	lockSoon   = 20 * time.Millisecond  // it takes long after this
	lockBrief  = 300 * time.Millisecond // that Doctor waits for who is just writing
	outOfTurn  = 500 * time.Millisecond // that who is first may stand still: Store.outOfTurn
)

// waiter is a writer on its way to the lock.
type waiter struct {
	s      *Store
	name   string // of its file in cache/; "" while it has none
	ticket io.Closer
	head   string // who was first when it looked last,
	since  time.Time
}

// lock waits for the store's lock, as long as ctx allows.
func (s *Store) lock(ctx context.Context, op *model.Op) (release func(), err error) {
	w := &waiter{s: s}
	defer w.leave()
	began := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return nil, busy(op, err)
		}
		before := w.before()
		if before == 0 {
			c, err := s.fs.TryLock(layout.LockFile)
			if err == nil {
				return func() { _ = c.Close() }, nil // closing gives the lock back in any case
			}
			if !errors.Is(err, fsys.ErrLocked) {
				return nil, failure.New(model.CodeRefused, failure.GuardWritable, op, err, "check permissions; nothing was changed", "the store's lock cannot be taken")
			}
		}
		w.enter()
		wait := lockPoll
		if before < 2 && time.Since(began) < lockSoon {
			wait = lockFirst
		}
		if err := pause(ctx, wait); err != nil {
			return nil, busy(op, err)
		}
	}
}

// before is how many others it has to let go first.
func (w *waiter) before() (n int) {
	d, err := w.s.fs.OpenDir(layout.CacheDir)
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
		if !strings.HasPrefix(e.Name, waitPrefix) || w.name != "" && e.Name >= w.name || e.Name == w.s.passed {
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
	if n > 0 && time.Since(w.since) > w.s.outOfTurn {
		w.s.passed = head
		return n - 1
	}
	return n
}

// isDead says whether nobody stands behind a file any more, and then removes it. One that is new
// may not be locked yet.
func (w *waiter) isDead(name string) bool {
	if name >= ticketName(time.Now().Add(-w.s.outOfTurn)) {
		return false
	}
	c, err := w.s.fs.TryLock(layout.CacheDir + "/" + name)
	if err != nil {
		return !errors.Is(err, fsys.ErrLocked)
	}
	_ = w.s.fs.Remove(layout.CacheDir + "/" + name) // best effort, all of it
	_ = c.Close()
	return true
}

func ticketName(at time.Time) string { return fmt.Sprintf("%s%020d", waitPrefix, at.UnixNano()) }

// enter goes to the end of the queue.
func (w *waiter) enter() {
	if w.name != "" {
		return
	}
	name := ticketName(time.Now()) + "-" + w.s.randomHex(4)
	if c, err := w.s.fs.TryLock(layout.CacheDir + "/" + name); err == nil {
		w.name, w.ticket = name, c
	}
}

func (w *waiter) leave() {
	if w.ticket == nil {
		return
	}
	_ = w.s.fs.Remove(layout.CacheDir + "/" + w.name) // one that stays is removed by the next that waits
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
