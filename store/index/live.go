package index

import (
	"context"
	"errors"
	"sync"
	"time"

	"vespe/model/snapshot"
	"vespe/store"
)

// LiveOptions say how a Live keeps up.
type LiveOptions struct {
	Options
	// Wait is how long an answer waits for the index to be brought up to date: after a change that takes no longer
	// nobody sees an answer without it.
	Wait time.Duration
	// Again is for how long the index is taken to be up to date while the log has nothing new: what was written past
	// vespe comes into it by then. 0: for as long as the snapshot is the same, of a caller whose snapshots follow
	// the files.
	Again time.Duration
	// Narrow is how many tasks a store has at most of which all files are looked at each time. Those of others are
	// looked at the first time.
	Narrow int
	// Readers is how many tasks are read at once; 0: as many as there are processors.
	Readers int
}

// Live is the index of a store for a program that lives on. Nothing is opened before somebody looks for something:
// then it is brought up to date beside the answers, which say how far that has come.
type Live struct {
	s    *store.Store
	o    LiveOptions
	ctx  context.Context //nolint:containedctx // of what goes on beside, which ends with Close
	stop context.CancelFunc

	mu     sync.Mutex
	x      *Index
	under  *keeping // what brings it up to date just now; nil: nothing does
	asOf   *snapshot.Snapshot
	looked time.Time // when it was last brought up to date
	failed error     // of the last time
	over   bool
	beside sync.WaitGroup
}

// keeping is one bringing up to date, to a snapshot.
type keeping struct {
	to    *snapshot.Snapshot
	ended chan struct{}
}

// NewLive makes a Live. It is to be closed.
func NewLive(s *store.Store, o LiveOptions) *Live {
	ctx, stop := context.WithCancel(context.Background())
	return &Live{s: s, o: o, ctx: ctx, stop: stop}
}

// Search finds tasks by what was written about them. What the index does not have yet the answer says.
func (l *Live) Search(ctx context.Context, snap *snapshot.Snapshot, q snapshot.SearchQuery) (snapshot.SearchAnswer, error) {
	wait := time.NewTimer(l.o.Wait)
	defer wait.Stop()
	for behind := false; ; {
		x, k, err := l.keepUp(ctx, snap)
		if err != nil {
			return snapshot.SearchAnswer{}, err
		}
		if k != nil && !behind {
			select {
			case <-k.ended:
				if !l.covers(k.to, snap) {
					continue // it was for an older one
				}
			case <-wait.C:
				behind = true
			case <-ctx.Done():
				return snapshot.SearchAnswer{}, ctx.Err()
			}
		}
		a, err := x.Search(ctx, snap, q)
		if err == nil {
			a.Ahead = l.ahead(behind)
		}
		return a, err
	}
}

// covers reports whether an index that was brought to a snapshot has what another one has.
func (l *Live) covers(to, snap *snapshot.Snapshot) bool {
	return to != nil && (to == snap || to.Seq() > snap.Seq() || l.o.Again > 0 && to.Seq() == snap.Seq())
}

// ahead says what is not in an answer; "" for nothing.
func (l *Live) ahead(behind bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case behind:
		return "The index is being updated."
	case errors.Is(l.failed, ErrUpdating):
		return "Another vespe is updating the index."
	case l.failed != nil:
		return "The index is not up to date: " + l.failed.Error()
	}
	return ""
}

// keepUp opens the index and has it brought to a snapshot, where nobody does; nil where nothing is to be done.
func (l *Live) keepUp(ctx context.Context, snap *snapshot.Snapshot) (*Index, *keeping, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, nil, context.Canceled
	}
	if l.x == nil {
		x, err := Open(ctx, l.s, l.o.Options)
		if err != nil {
			return nil, nil, err
		}
		l.x = x
	}
	if l.under != nil {
		return l.x, l.under, nil
	}
	if l.failed == nil && l.covers(l.asOf, snap) && (l.o.Again == 0 || time.Since(l.looked) < l.o.Again) {
		return l.x, nil, nil
	}
	k := &keeping{to: snap, ended: make(chan struct{})}
	l.under = k
	o, x := UpdateOptions{Sweep: l.looked.IsZero() || snap.Len() <= l.o.Narrow, Try: true, Readers: l.o.Readers}, l.x
	l.beside.Go(func() {
		err := x.Update(l.ctx, snap, o)
		l.mu.Lock()
		if l.failed = err; err == nil {
			l.asOf, l.looked = snap, time.Now()
		}
		l.under = nil
		l.mu.Unlock()
		close(k.ended)
	})
	return x, k, nil
}

// Close ends what continues beside, and closes the index.
func (l *Live) Close() error {
	l.stop()
	l.mu.Lock()
	l.over = true
	x := l.x
	l.mu.Unlock()
	l.beside.Wait()
	if x == nil {
		return nil
	}
	return x.Close()
}
