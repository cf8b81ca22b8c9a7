package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"vespe/model"
	"vespe/store"
	"vespe/store/index"
)

// deskTexts is the index of a store as the workbench asks it. Nothing is opened before somebody looks for
// something: then it is brought up to date beside the answers, which say how far that has come.
type deskTexts struct {
	s   *store.Store
	opt index.Options
	ctx context.Context //nolint:containedctx // of the workbench: what goes on beside ends with it

	mu      sync.Mutex
	x       *index.Index
	asOf    *model.Snapshot // that it was last brought to
	done    chan struct{}   // closed when what brings it up to date just now has ended; nil: nothing does
	failed  error           // of the last time
	swept   bool            // every file was looked at once
	working sync.WaitGroup
	ended   bool
}

// moment is how long an answer waits for the index to be brought up to date: after a change that takes no
// longer nobody sees an answer without it.
const moment = 60 * time.Millisecond

// updateReaders is how many tasks are read at once beside the keys.
const updateReaders = 2

func newDeskTexts(ctx context.Context, s *store.Store, state string) *deskTexts {
	return &deskTexts{s: s, ctx: ctx, opt: index.Options{State: state}}
}

// Search implements ui.Searcher.
func (d *deskTexts) Search(ctx context.Context, snap *model.Snapshot, q model.SearchQuery) (model.SearchAnswer, error) {
	x, done, err := d.begin(ctx, snap)
	if err != nil {
		return model.SearchAnswer{}, err
	}
	behind := false
	if done != nil {
		t := time.NewTimer(moment)
		defer t.Stop()
		select {
		case <-done:
		case <-t.C:
			behind = true
		case <-ctx.Done():
			return model.SearchAnswer{}, ctx.Err()
		}
	}
	a, err := x.Search(ctx, snap, q)
	if err != nil {
		return a, err
	}
	d.mu.Lock()
	failed := d.failed
	d.mu.Unlock()
	switch {
	case behind:
		a.Ahead = "The index is being brought up to date."
	case errors.Is(failed, index.ErrUpdating):
		a.Ahead = "Another vespe brings the index up to date."
	case failed != nil:
		a.Ahead = "The index is not up to date: " + failed.Error()
	}
	return a, nil
}

// begin opens the index and has it brought to a snapshot. done is closed when that has ended; nil when
// there is nothing to do.
func (d *deskTexts) begin(ctx context.Context, snap *model.Snapshot) (*index.Index, chan struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return nil, nil, context.Canceled
	}
	if d.x == nil {
		x, err := index.Open(ctx, d.s, d.opt)
		if err != nil {
			return nil, nil, err
		}
		d.x = x
	}
	if d.done != nil || d.asOf == snap && d.failed == nil {
		return d.x, d.done, nil
	}
	done := make(chan struct{})
	d.done = done
	sweep, x := !d.swept, d.x
	d.working.Go(func() {
		err := x.Update(d.ctx, snap, index.UpdateOptions{Sweep: sweep, Try: true, Readers: updateReaders})
		d.mu.Lock()
		if d.failed = err; err == nil {
			d.asOf, d.swept = snap, true
		}
		d.done = nil
		d.mu.Unlock()
		close(done)
	})
	return x, done, nil
}

// Close ends what goes on. The context must have ended.
func (d *deskTexts) Close() error {
	d.mu.Lock()
	d.ended = true
	x := d.x
	d.mu.Unlock()
	d.working.Wait()
	if x == nil {
		return nil
	}
	return x.Close()
}
