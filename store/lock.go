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

// alone takes the turn of this process and the lock, and sees to it that the last entry is
// in its files: what follows may treat the log as the past.
func (s *Store) alone(ctx context.Context) (release func(), err error) {
	return s.aloneAfter(ctx, func() error { return nil })
}

// aloneAfter is alone with something that is done, under the lock, before anything is believed of the
// last entry.
func (s *Store) aloneAfter(ctx context.Context, first func() error) (release func(), err error) {
	wait, cancel := bounded(ctx)
	defer cancel()
	if err := s.writing.Take(wait); err != nil {
		return nil, busy(nil, err)
	}
	unlock, err := s.lock(wait, nil)
	if err != nil {
		s.writing.Give()
		return nil, err
	}
	release = func() {
		unlock()
		s.writing.Give()
	}
	if err = s.prepare(); err == nil {
		err = first()
	}
	if err == nil {
		_, err = s.recoverTail()
	}
	var last uint64
	if err == nil {
		last, err = s.log.Tail(0)
	}
	if err == nil {
		_, _, err = s.pending.Finish(last)
	}
	if err != nil {
		release()
		var f *Failure
		if errors.As(err, &f) {
			return nil, err
		}
		return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check space and permissions, and run `vespe store doctor`", "the store cannot be written")
	}
	return release, nil
}
