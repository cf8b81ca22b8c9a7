package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/txlog"
)

const (
	lockWait  = 30 * time.Second // when the caller sets no deadline
	maxTries  = 1000             // numbers of the log that others may take before us
	maxEdited = 5                // times that files may change under a transaction's computation
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
	applied, err := s.doAll(ctx, ops)
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

func (s *Store) doAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	if len(ops) == 0 {
		return snapshot.Applied{}, failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "", "no operation was given")
	}
	if err := s.writable(&ops[0]); err != nil {
		return snapshot.Applied{}, err
	}
	wait, cancel := bounded(ctx)
	defer cancel()
	if err := s.writing.Take(wait); err != nil {
		return snapshot.Applied{}, busy(&ops[0], err)
	}
	defer s.writing.Give()
	if _, err := s.reopen(); err != nil {
		return snapshot.Applied{}, s.unreadable(&ops[0], err)
	}
	if err := s.writable(&ops[0]); err != nil {
		return snapshot.Applied{}, err
	}
	given := slices.ContainsFunc(ops, func(op model.Op) bool { return op.ID != "" })
	ops = s.fill(ops)

	release, err := s.lock(wait, &ops[0])
	if err != nil {
		return snapshot.Applied{}, err
	}
	defer s.checkpoints.Soon() // once the lock is given back
	defer release()
	for range maxTries {
		if err := s.prepare(); err != nil {
			return snapshot.Applied{}, failure.New(model.CodeRefused, failure.GuardWritable, &ops[0], err, "check space and permissions; nothing was changed", "the store cannot be written")
		}
		applied, again, err := s.try(ctx, ops, given)
		if !again {
			return applied, err
		}
	}
	return snapshot.Applied{}, failure.New(model.CodeConflict, failure.GuardLock, &ops[0], nil, "try again", "other programs kept changing the store")
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

// bounded is a context for waiting, which ends some time.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, lockWait)
}

// try does one round under the lock: recover, catch up, compute, commit. again means that
// someone took the number of the log first; the rest does not count then.
func (s *Store) try(ctx context.Context, ops []model.Op, given bool) (applied snapshot.Applied, again bool, err error) {
	warnings, err := s.recoverTail()
	if err != nil {
		var f *Failure
		if !errors.As(err, &f) {
			err = failure.New(model.CodeRefused, failure.GuardWritable, &ops[0], err, "check space and permissions; nothing was changed",
				"the last transaction isn't completely written to its files and can't be finished")
		}
		return applied, false, err
	}
	s.leftovers().DropSome(nil, s.comparer.IsAlone)
	snap, at, err := s.latest(ctx)
	if err != nil {
		return applied, false, s.unreadable(&ops[0], err)
	}
	projected, more, err := s.pending.Finish(at.Seq)
	warnings = append(warnings, more...)
	if err == nil && len(projected) > 0 {
		snap, _, err = s.loader.LookAgain(snap, at, projected)
	}
	if err != nil {
		return applied, false, s.unreadable(&ops[0], err)
	}
	if at.Seq > 0 && at.Head == "" {
		s.loader.Forget()
		return applied, false, failure.New(model.CodeInvalid, failure.GuardStore, &ops[0], nil, txlog.HintTail,
			"nothing was changed: the last entry of the log can't be read")
	}
	if _, done := s.current.Known(); done < at.Seq {
		return applied, true, nil // it was committed since, which without a lock can be
	}
	if given {
		seq, err := s.findOps(ctx, ops, at.Seq)
		if err != nil {
			return applied, false, err
		}
		if seq > 0 {
			applied, err = s.replay(seq, at, ops, snap)
			return applied, false, err
		}
	}
	t, more, err := s.computeFresh(ctx, snap, at, ops)
	warnings = append(warnings, more...)
	if err != nil {
		return applied, s.isOvertaken(at), err
	}
	if t.empty() {
		return snapshot.Applied{Seq: at.Seq, Change: t.change, Snapshot: t.snapshot, Warnings: warnings}, false, nil
	}
	return s.commitAndProject(t, at, warnings)
}

// isOvertaken says whether something follows an entry already, which without a lock can be.
// What is refused then may be refused for the files of the newer one.
func (s *Store) isOvertaken(at txlog.Tip) bool {
	last, err := s.log.Tail(at.Seq)
	return err == nil && last > at.Seq
}

func (s *Store) unreadable(op *model.Op, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var said *Failure
	if errors.As(err, &said) {
		return err
	}
	var moved *fsys.MovedError
	if errors.As(err, &moved) {
		return failure.New(model.CodeRefused, failure.GuardStore, op, err, "move it back, or open the one that is to be used; nothing was changed",
			"%s was moved or deleted", moved.Path)
	}
	var of *failure.OfTask
	if errors.As(err, &of) {
		f := failure.New(model.CodeRefused, failure.GuardStore, op, err, "nothing was changed", "%s can't be read", layout.Shown(layout.TaskDir(of.UID)))
		f.Refusal.UID = of.UID
		return f
	}
	return failure.New(model.CodeRefused, failure.GuardStore, op, err, "nothing was changed", "the store can't be read")
}

// latest is the snapshot as of the last entry, under the lock.
func (s *Store) latest(ctx context.Context) (*snapshot.Snapshot, txlog.Tip, error) {
	if _, err := s.Refresh(ctx); err != nil {
		return nil, txlog.Tip{}, err
	}
	snap, at := s.current.Get()
	return snap, at, nil
}

// computeFresh computes the change from what the files of its tasks say now, not from what
// they said when they were loaded.
func (s *Store) computeFresh(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, ops []model.Op) (t *transaction, warnings []string, err error) {
	var subjects []model.UID
	for i := range ops {
		_, known := snap.Task(ops[i].UID)
		if ops[i].Name == model.ExternalEdit || known && len(subjects) < manyFiles {
			subjects = append(subjects, ops[i].UID)
		}
	}
	if s.current.Unswept() {
		subjects = neighbours(snap, subjects)
	}
	for range maxEdited {
		restored, err := s.restoreStale(at, subjects)
		warnings = append(warnings, restored...)
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		if snap, _, err = s.loader.LookAgain(snap, at, subjects); err == nil {
			err = s.loader.LookAtDocs(snap, ops)
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		merged, err := s.finishMerges(ctx, snap, at, subjects)
		if err == nil && len(merged) > 0 {
			subjects = slices.Compact(slices.Sorted(slices.Values(slices.Concat(subjects, merged))))
			if snap, _, err = s.loader.LookAgain(snap, at, subjects); err == nil {
				err = s.loader.LookAtDocs(snap, ops)
			}
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		seen := s.loader.Preview(snap, at, subjects)
		if seen.Snap, err = s.loader.AsAsked(seen.Snap, at, ops); err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		all, before, imported, err := s.withEdits(ctx, seen, ops, subjects)
		if errors.Is(err, edits.ErrShifted) {
			continue
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		t, err := s.compute(ctx, seen.Snap, all, before)
		if err != nil {
			return nil, warnings, err
		}
		subjects = withTasks(subjects, t.change.Tasks)
		var moved bool
		if snap, moved, err = s.loader.LookAgain(snap, at, subjects); err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		now := s.loader.Preview(snap, at, slices.Concat(subjects, imported))
		moved = moved || !seen.Agrees(now, subjects, imported)
		more, err := s.loader.MoreEdited(now, subjects, imported)
		if err == nil && !more {
			more, err = s.isWrittenOn(t)
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		if !moved && !more && !s.edits.HasStale(subjects) {
			return t, warnings, nil
		}
	}
	return nil, warnings, failure.New(model.CodeConflict, failure.GuardUnmoved, &ops[0], nil, "try again; nothing was changed", "someone is editing the task's files")
}

// withTasks is uids with those of tasks that are not among them yet, of which there may be very many.
func withTasks(uids []model.UID, tasks []*model.Task) []model.UID {
	there := make(map[model.UID]bool, len(uids)+len(tasks))
	for _, uid := range uids {
		there[uid] = true
	}
	for _, t := range tasks {
		if !there[t.UID] {
			there[t.UID] = true
			uids = append(uids, t.UID)
		}
	}
	return uids
}

// neighbours are tasks and those whose states theirs depend on, as far as it is cheap to
// read them all.
func neighbours(snap *snapshot.Snapshot, of []model.UID) []model.UID {
	out := slices.Clone(of)
	add := func(uid model.UID) {
		if uid != "" && len(out) < manyFiles && !slices.Contains(out, uid) {
			out = append(out, uid)
		}
	}
	for _, uid := range of {
		t, ok := snap.Task(uid)
		if !ok {
			continue
		}
		add(t.Config.ParentUID)
		for _, list := range [][]model.UID{t.DependsOn, t.Status.SubtaskUIDs, snap.DependentUIDs(uid)} {
			for _, other := range list {
				add(other)
			}
		}
	}
	return out
}

// syncLog makes the names in log/ durable, and says so if that fails.
func (s *Store) syncLog(seq uint64, op *model.Op) error {
	err := s.disk.SyncDir(layout.LogDir)
	if err == nil {
		return nil
	}
	s.doubt(seq)
	return failure.New(model.CodeNotDurable, failure.GuardDurable, op, err,
		"check the disk; repeating it with the same operation id does not apply it twice",
		"it is applied as entry %d, but the disk did not confirm that it is durable", seq)
}
