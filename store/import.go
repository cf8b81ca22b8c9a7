package store

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/writing"
)

// ImportEdits takes over what was written past vespe into the given tasks, nil for every
// one that is known to be edited, in one transaction where they are not very many. Documents become revisions; a state
// is believed; a verdict is not. It does nothing when nothing was edited.
func (s *Store) ImportEdits(ctx context.Context, uids []model.UID) (snapshot.Applied, error) {
	snap, err := s.Refresh(ctx) // others may have taken them over
	if err != nil {
		return snapshot.Applied{}, err
	}
	if uids == nil {
		uids = s.edits.ToImport()
	}
	applied := snapshot.Applied{Seq: snap.Seq(), Snapshot: snap}
	for part := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(uids))), writing.ImportAtOnce) {
		var ops []model.Op
		for _, uid := range part {
			if s.edits.IsToImport(uid) {
				ops = append(ops, model.Op{Name: model.ExternalEdit, UID: uid, Actor: edits.ActorExternal, Channel: model.ChannelFiles})
			}
		}
		if len(ops) == 0 {
			continue
		}
		did, err := s.importEach(ctx, ops)
		if applied = joined(applied, did); err != nil {
			return applied, err
		}
	}
	return applied, nil
}

// importEach takes over edits in one transaction, without those of tasks for which it would
// be refused: these must not keep the others waiting. Warnings say which they are, and why.
func (s *Store) importEach(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	if len(ops) == 0 {
		return snapshot.Applied{}, nil
	}
	did, err := s.DoAll(ctx, ops)
	about, known := refusedFor(err)
	if !known {
		return did, err
	}
	rest := slices.DeleteFunc(slices.Clone(ops), func(op model.Op) bool { return op.UID == about })
	if half := len(ops) / 2; len(rest) == len(ops) && half > 0 {
		// It is about another task that one of them changes; trying tells which.
		first, err := s.importEach(ctx, ops[:half])
		if err != nil {
			return first, err
		}
		did, err = s.importEach(ctx, ops[half:])
		return joined(first, did), err
	}
	if len(rest) == len(ops) {
		rest = nil
	}
	did, more := s.importEach(ctx, rest)
	did.Warnings = append([]string{err.Error() + ": an edit there isn't recorded yet"}, did.Warnings...)
	return did, more
}

// joined is what came of two transactions, either of which may not have come about.
func joined(first, second snapshot.Applied) snapshot.Applied {
	if second.Snapshot == nil {
		first.Warnings = append(first.Warnings, second.Warnings...)
		return first
	}
	second.Warnings = slices.Concat(first.Warnings, second.Warnings)
	return second
}

// refusedFor says whether a transaction was refused for the files of one task alone, and for
// which, where that is known.
func refusedFor(err error) (uid model.UID, ok bool) {
	var r *model.Refusal
	var of *failure.OfTask
	switch {
	case !errors.As(err, &r) || r.Code == model.CodeNotDurable:
		return "", false
	case errors.As(err, &of):
		return of.UID, true
	}
	return "", r.Guard == failure.GuardUnmoved
}

// CheckAll lets check mark what Outdated finds, in one transaction. applied is zero where nothing
// is outdated.
func (s *Store) CheckAll(ctx context.Context, uids []model.UID, actor model.Actor) (found []model.UID, applied snapshot.Applied, err error) {
	if found, err = s.Outdated(ctx, uids); err != nil || len(found) == 0 {
		return found, applied, err
	}
	ops := make([]model.Op, len(found))
	for i, uid := range found {
		ops[i] = model.Op{Name: model.Check, UID: uid, Actor: actor}
	}
	applied, err = s.DoAll(ctx, ops)
	return found, applied, err
}

// ImportComments takes over what was written past vespe into a task's comments, so that a verdict is
// given on what is left of it. It is nil, and nothing happens, where nothing was.
func (s *Store) ImportComments(ctx context.Context, uid model.UID) (*snapshot.Applied, error) {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	if _, edited := s.writer.Reviews.Edited(uid, t.Status.Comments); !edited {
		return nil, nil
	}
	took, err := s.ImportEdits(ctx, []model.UID{uid})
	return &took, err
}
