package follow

import (
	"context"
	"path/filepath"
	"time"

	"vespe/store/fsys"
	"vespe/store/layout"
)

// Await returns when the log of a store has an entry after the one with that number, and after d in any
// case, with the number of its last entry, which head says. It costs a watch on one directory and a look every
// so often, whatever the size of the store, so that many can wait.
func Await(
	ctx context.Context, root string, head func(context.Context) (uint64, error), after uint64, d time.Duration, watch func() (fsys.Watcher, error),
) (uint64, error) {
	w, err := watch()
	if err != nil {
		w = fsys.DeafWatcher{}
	}
	defer func() { _ = w.Close() }() // only read from
	every := lookWatched
	if err := w.Add(filepath.Join(root, layout.Name, layout.LogDir), logWatch); err != nil {
		every = lookBlind
	}
	over := time.NewTimer(d)
	defer over.Stop()
	for {
		last, err := head(ctx) // after the watch was set, so that nothing falls between them
		if err != nil || last > after {
			return last, err
		}
		look := time.NewTimer(every)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-over.C:
			look.Stop()
			return head(ctx)
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
			return last, err
		}
	}
}
