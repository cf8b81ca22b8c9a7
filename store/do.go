package store

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/failure"
)

// Failure is an error of the store itself.
type Failure = failure.Error

// Do applies one operation and returns once it is durable. See DoAll.
func (s *Store) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	return s.DoAll(ctx, []model.Op{op})
}

// DoAll applies operations as one transaction, each to what the ones before left: all of
// them, or none. What the operations leave open (id, time, a new task's uid) is filled in.
//
// An operation whose ID is in the log already is not applied again: the result of the
// transaction that holds it is returned, with Replayed set.
//
// The error is a *model.Refusal, alone or inside a *Failure. CodeNotDurable comes with a
// result: everyone sees the transaction, but the disk did not confirm it. After any other
// error nothing has happened. Applied.Warnings tell what went wrong after the commit and
// does not undo it.
func (s *Store) DoAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	applied, err := s.writer.Do(ctx, ops)
	if err == nil {
		applied.Warnings = append(applied.Warnings, s.recordGit(ctx)...)
	}
	var refused *model.Refusal
	if errors.As(err, &refused) && refused.Guard == model.GuardRevision && s.edits.IsEdited(refused.UID) {
		// It is about an edit that counts the revision up once it is taken over: then anyone who
		// looks again sees what was written, and can continue from that.
		_, _ = s.ImportEdits(ctx, []model.UID{refused.UID}) // else a later one does
	}
	return applied, err
}

// fill completes operations.
func (s *Store) fill(ops []model.Op) []model.Op {
	ops = slices.Clone(ops)
	var base string
	now := s.now()
	for i := range ops {
		op := &ops[i]
		if op.ID == "" {
			if base == "" {
				base = s.randomHex(16)
			}
			op.ID = base
			if len(ops) > 1 {
				op.ID += "." + strconv.Itoa(i)
			}
		}
		if op.At.IsZero() {
			op.At = now
		}
		if op.Channel == "" {
			op.Channel = s.opt.Channel
		}
		op.FillUIDs(s.NewUID)
	}
	return ops
}
