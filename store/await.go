package store

import (
	"context"
	"path/filepath"
	"time"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// Await returns when the log has an entry after the one with that number, and after d in any
// case, with the number of its last entry. It costs a watch on one directory and a look every
// so often, whatever the size of the store, so that many can wait; Follow is for who shows
// all that changes.
func (s *Store) Await(ctx context.Context, after uint64, d time.Duration) (uint64, error) {
	return s.await(ctx, after, d, fsys.NewWatcher)
}

func (s *Store) await(ctx context.Context, after uint64, d time.Duration, watch func() (fsys.Watcher, error)) (uint64, error) {
	w, err := watch()
	if err != nil {
		w = fsys.DeafWatcher{}
	}
	defer func() { _ = w.Close() }() // only read from
	every := lookWatched
	if err := w.Add(filepath.Join(s.root, layout.Name, layout.LogDir), logWatch); err != nil {
		every = lookBlind
	}
	over := time.NewTimer(d)
	defer over.Stop()
	for {
		head, err := s.Head(ctx) // after the watch was set, so that nothing falls between them
		if err != nil || head > after {
			return head, err
		}
		look := time.NewTimer(every)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-over.C:
			look.Stop()
			return s.Head(ctx)
		case _, open := <-w.Events():
			if !open {
				w, every = fsys.DeafWatcher{}, lookBlind
			}
		case lost, open := <-w.Lost():
			if lost != nil || !open {
				every = lookBlind
			}
		case <-look.C:
		}
		look.Stop()
		if err != nil {
			return head, err
		}
	}
}
