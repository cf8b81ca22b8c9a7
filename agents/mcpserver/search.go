package mcpserver

import (
	"context"
	"sync"
	"time"

	"vespe/model"
	"vespe/store"
	"vespe/store/index"
)

// searcher is the index of a store, opened when somebody searches for the first time. It is brought up to date at each
// search, beside it: what takes longer than searchWait is not waited for, and the answer says what is missing.
type searcher struct {
	store *store.Store
	state string // the person's state directory; "" for none

	mu     sync.Mutex
	x      *index.Index
	over   bool
	under  *update // the update that is under way; nil where none is
	upTo   uint64  // the entry of the log that the index is as of
	looked time.Time
	cancel context.CancelFunc
}

// update is one bringing up to date.
type update struct {
	ended chan struct{}
	err   error // once it has ended
}

const (
	// searchWait is how long a search waits for the index.
	searchWait = 5 * time.Second
	// lookAgain is for how long the index is taken to be up to date where the log has nothing new: what was written
	// past vespe comes into it by then.
	lookAgain = 2 * time.Second
	// narrow is how many tasks a store has at most of which all files are looked at for each search.
	narrow = 500
)

// upToDate is an update that has ended.
var upToDate = func() *update {
	u := &update{ended: make(chan struct{})}
	close(u.ended)
	return u
}()

// Search finds tasks by what was written about them.
func (x *searcher) Search(ctx context.Context, snap *model.Snapshot, q model.SearchQuery) (model.SearchAnswer, error) {
	wait := time.NewTimer(searchWait)
	defer wait.Stop()
	for {
		at, u, err := x.begin(ctx, snap)
		if err != nil {
			return model.SearchAnswer{}, err
		}
		select {
		case <-u.ended:
			if u.err == nil && x.behind(snap) {
				continue // it was for an older snapshot
			}
		case <-wait.C:
		case <-ctx.Done():
			return model.SearchAnswer{}, ctx.Err()
		}
		return at.Search(ctx, snap, q)
	}
}

func (x *searcher) behind(snap *model.Snapshot) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.upTo < snap.Seq()
}

// begin opens the index, and has it brought up to date where nobody does.
func (x *searcher) begin(ctx context.Context, snap *model.Snapshot) (*index.Index, *update, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return nil, nil, errOver
	}
	if x.x == nil {
		at, err := index.Open(ctx, x.store, index.Options{State: x.state})
		if err != nil {
			return nil, nil, err
		}
		x.x = at
	}
	if x.under != nil {
		return x.x, x.under, nil
	}
	if x.upTo >= snap.Seq() && time.Since(x.looked) < lookAgain {
		return x.x, upToDate, nil
	}
	beside, cancel := context.WithCancel(context.Background())
	u, at := &update{ended: make(chan struct{})}, x.x
	x.under, x.cancel = u, cancel
	go func() {
		defer cancel()
		defer close(u.ended)
		u.err = at.Update(beside, snap, index.UpdateOptions{Sweep: snap.Len() <= narrow})
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.under = nil; u.err == nil {
			x.upTo, x.looked = max(x.upTo, snap.Seq()), time.Now()
		}
	}()
	return at, u, nil
}

// close ends an update that is under way, and closes the index.
func (x *searcher) close() error {
	x.mu.Lock()
	x.over = true
	at, u, cancel := x.x, x.under, x.cancel
	x.mu.Unlock()
	if at == nil {
		return nil
	}
	if u != nil {
		cancel()
		<-u.ended
	}
	return at.Close()
}
