package store

import "context"

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
