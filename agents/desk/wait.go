package desk

import (
	"context"
	"errors"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	// MostWait is how long one call waits at most: clients give a call a minute.
	MostWait = 45 * time.Second
	// ProgressEvery is how often a call that waits says so.
	ProgressEvery = 5 * time.Second
)

// Wait is a review once a person has decided, or there is nothing to wait for anymore; as it is when the time
// is over, or at once for a time of 0. progress, which may be nil, is told every ProgressEvery how long it has waited,
// from the goroutine of the call. Nothing is kept by waiting, and any number may wait: the record is what counts.
// The store may be moved away meanwhile, and come back.
func (d *Desk) Wait(ctx context.Context, reviewID string, atMost time.Duration, progress func(elapsed time.Duration)) (Review, error) {
	of, err := subjectOf(reviewID)
	if err != nil {
		return Review{}, err
	}
	s, snap, err := d.View(ctx)
	if err != nil {
		return Review{}, err
	}
	began := time.Now()
	over, cancel := context.WithTimeout(ctx, min(max(atMost, 0), MostWait))
	defer cancel()
	for {
		r, err := d.review(ctx, s, snap, of)
		if err != nil {
			return Review{}, told(err)
		}
		if !r.Waits() {
			d.settled(reviewID)
			return d.seen(ctx, s, snap, of, 0)
		}
		next, now, err := d.news(over, s, snap, began, progress)
		switch {
		case ctx.Err() != nil:
			return Review{}, told(ctx.Err())
		case over.Err() != nil:
			return d.seen(ctx, s, snap, of, d.polled(reviewID))
		case err != nil:
			return Review{}, told(err)
		}
		s, snap = next, now
	}
}

// news waits for what is new in the store, and tells meanwhile how long it has.
func (d *Desk) news(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, began time.Time, progress func(time.Duration)) (*store.Store, *snapshot.Snapshot, error) {
	type found struct {
		s    *store.Store
		snap *snapshot.Snapshot
		err  error
	}
	came := make(chan found, 1)
	go func() {
		s, snap, err := News(ctx, s, snap.Seq(), d.View)
		came <- found{s, snap, err}
	}()
	left := func() time.Duration { return d.every - time.Since(began)%d.every }
	tick := time.NewTimer(left())
	defer tick.Stop()
	for {
		select {
		case f := <-came:
			return f.s, f.snap, f.err
		case <-tick.C:
			if progress != nil {
				progress(time.Since(began))
			}
			tick.Reset(left())
		}
	}
}

// polls is how often somebody has waited for a review in vain.
func (d *Desk) polls(id string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waited[id]
}

// mostWaited is how many reviews are remembered that were waited for.
const mostWaited = 1000

// polled counts one more wait in vain.
func (d *Desk) polled(id string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waited == nil || len(d.waited) >= mostWaited {
		d.waited = map[string]int{}
	}
	d.waited[id]++
	return d.waited[id]
}

func (d *Desk) settled(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waited, id)
}

// retryable reports that somebody else was faster: what there is has to be looked at again.
func retryable(err error) bool {
	var no *model.Refusal
	return errors.As(err, &no) && no.Code == model.CodeConflict && no.Guard == model.GuardRevision
}
