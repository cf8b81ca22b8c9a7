package writing

import (
	"context"
	"errors"
	"time"

	"vespe/model"
	"vespe/store/failure"
)

// outOfTurn is how long the first in the queue for the lock may stand still.
const outOfTurn = 500 * time.Millisecond

// Lock waits for the store's lock, as long as ctx allows.
func (s *Writer) Lock(ctx context.Context, op *model.Op) (release func(), err error) {
	release, err = s.LockQueue.Lock(ctx)
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

// Alone takes the turn of this process and the lock, and sees to it that the last entry is
// in its files: what follows may treat the log as the past.
func (s *Writer) Alone(ctx context.Context) (release func(), err error) {
	return s.AloneAfter(ctx, func() error { return nil })
}

// AloneAfter is alone with something that is done, under the lock, before anything is believed of the
// last entry.
func (s *Writer) AloneAfter(ctx context.Context, first func() error) (release func(), err error) {
	wait, cancel := bounded(ctx)
	defer cancel()
	if err := s.Writing.Take(wait); err != nil {
		return nil, busy(nil, err)
	}
	unlock, err := s.Lock(wait, nil)
	if err != nil {
		s.Writing.Give()
		return nil, err
	}
	release = func() {
		unlock()
		s.Writing.Give()
	}
	if err = s.Prepare(); err == nil {
		err = first()
	}
	if err == nil {
		_, err = s.recoverTail()
	}
	var last uint64
	if err == nil {
		last, err = s.Log.Tail(0)
	}
	if err == nil {
		_, _, err = s.Pending.Finish(last)
	}
	if err != nil {
		release()
		var f *failure.Error
		if errors.As(err, &f) {
			return nil, err
		}
		return nil, failure.New(model.CodeRefused, failure.GuardStore, nil, err, "check space and permissions, and run `vespe store doctor`", "the store cannot be written")
	}
	return release, nil
}

// PrepareAlone makes what a store needs before a transaction, under the lock.
func (s *Writer) PrepareAlone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if err := s.Writing.Take(ctx); err != nil {
		return err
	}
	defer s.Writing.Give()
	release, err := s.Lock(ctx, nil)
	if err != nil {
		return err
	}
	defer release()
	if err := s.Prepare(); err != nil {
		return failure.New(model.CodeRefused, failure.GuardWritable, nil, err, "check space and permissions; nothing was changed", "the store cannot be written")
	}
	return nil
}

// Reopen switches to the store now at this path if it was replaced by another one. It does nothing during a transaction.
func (s *Writer) Reopen() (another bool) {
	if !s.Writing.TryTake() {
		return false
	}
	defer s.Writing.Give()
	another, err := s.Loader.Reopen(s.Identify)
	return err == nil && another
}
