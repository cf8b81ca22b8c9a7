package store

import (
	"context"
	"errors"
	"time"

	"vespe/model"
	"vespe/store/failure"
)

// outOfTurn is how long the first in the queue for the lock may stand still.
const outOfTurn = 500 * time.Millisecond

// lock waits for the store's lock, as long as ctx allows.
func (s *Store) lock(ctx context.Context, op *model.Op) (release func(), err error) {
	release, err = s.lockQueue.Lock(ctx)
	switch {
	case err == nil:
		return release, nil
	case errors.Is(err, ctx.Err()):
		return nil, busy(op, err)
	}
	return nil, failure.New(model.CodeRefused, failure.GuardWritable, op, err, "check permissions; nothing was changed", "the store's lock cannot be taken")
}

// busy is the refusal of a transaction whose turn did not come.
func busy(op *model.Op, err error) error {
	return failure.New(model.CodeConflict, failure.GuardLock, op, err, "try again; nothing was changed", "someone else is writing to the store")
}
