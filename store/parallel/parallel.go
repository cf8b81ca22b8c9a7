// Package parallel has what goroutines of one process share: a lock that is waited for no longer than a
// context, and loops over files a few at a time.
package parallel

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Readers is how many files are read at once: more are no faster, on two cores or on eight.
const Readers = 4

// Turn is a lock that can be waited for no longer than a context allows. Make it with
// NewTurn.
type Turn chan struct{}

func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn; the error is the context's.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TryTake takes the turn if nobody has it.
func (t Turn) TryTake() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t Turn) Give() { <-t }

// Each calls do for 0 … n-1, a few at a time, until one fails.
func Each(ctx context.Context, n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, min(Readers, n))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				err := ctx.Err()
				if err == nil {
					err = do(i)
				}
				if err != nil {
					errs[w] = err
					next.Store(int64(n))
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Loop calls do for 0 … n-1 from so many goroutines, until ctx ends. The error is the context's.
func Loop(ctx context.Context, goroutines, n int, do func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(goroutines, n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// EachIf is Each for many, and one after the other for few: they are not worth the
// goroutines.
func EachIf(many bool, n int, do func(i int) error) error {
	if many {
		return Each(context.Background(), n, do)
	}
	for i := range n {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}
