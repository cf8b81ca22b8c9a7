package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// readers is how many files are read at once: more are no faster, on two cores or on eight.
const readers = 4

// turn is a lock that can be waited for no longer than a context allows. Make it with
// newTurn.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn; the error is the context's.
func (t turn) take(ctx context.Context) error {
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

// tryTake takes the turn if nobody has it.
func (t turn) tryTake() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t turn) give() { <-t }

// sideBySide calls do for 0 … n-1, a few at a time, until one fails.
func sideBySide(ctx context.Context, n int, do func(i int) error) error {
	var next atomic.Int64
	errs := make([]error, min(readers, n))
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

// someAtOnce is sideBySide for many, and one after the other for few: they are not worth the
// goroutines.
func someAtOnce(many bool, n int, do func(i int) error) error {
	if many {
		return sideBySide(context.Background(), n, do)
	}
	for i := range n {
		if err := do(i); err != nil {
			return err
		}
	}
	return nil
}
