package writing

import (
	"context"
	"errors"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/project"
	"vespe/store/txlog"
)

const (
	lockWait   = 30 * time.Second // when the caller sets no deadline
	maxTries   = 1000             // numbers of the log that others may take before us
	maxEdited  = 5                // times that files may change under a transaction's computation
	maxDropped = 1000             // times that another part may drop the snapshot that was just read
)

// Do applies operations as one transaction: all of them, or none. It returns once that is durable.
func (s *Writer) Do(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	if len(ops) == 0 {
		return snapshot.Applied{}, failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "", "no operation was given")
	}
	if err := s.Writable(&ops[0]); err != nil {
		return snapshot.Applied{}, err
	}
	wait, cancel := bounded(ctx)
	defer cancel()
	if err := s.Writing.Take(wait); err != nil {
		return snapshot.Applied{}, busy(&ops[0], err)
	}
	defer s.Writing.Give()
	if _, err := s.Loader.Reopen(s.Identify); err != nil {
		return snapshot.Applied{}, s.unreadable(&ops[0], err)
	}
	if err := s.Writable(&ops[0]); err != nil {
		return snapshot.Applied{}, err
	}
	given := slices.ContainsFunc(ops, func(op model.Op) bool { return op.ID != "" })
	ops = s.Fill(ops)

	release, err := s.Lock(wait, &ops[0])
	if err != nil {
		return snapshot.Applied{}, err
	}
	defer s.Checkpoints.Soon() // once the lock is given back
	defer release()
	for range maxTries {
		if err := s.Prepare(); err != nil {
			return snapshot.Applied{}, failure.New(model.CodeRefused, failure.GuardWritable, &ops[0], err, "check space and permissions; nothing was changed", "the store cannot be written")
		}
		applied, again, err := s.try(ctx, ops, given)
		if !again {
			return applied, err
		}
	}
	return snapshot.Applied{}, failure.New(model.CodeConflict, failure.GuardLock, &ops[0], nil, "try again", "other programs kept changing the store")
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
func (s *Writer) try(ctx context.Context, ops []model.Op, given bool) (applied snapshot.Applied, again bool, err error) {
	warnings, err := s.recoverTail()
	if err != nil {
		var f *failure.Error
		if !errors.As(err, &f) {
			err = failure.New(model.CodeRefused, failure.GuardWritable, &ops[0], err, "check space and permissions; nothing was changed",
				"the last transaction isn't completely written to its files and can't be finished")
		}
		return applied, false, err
	}
	s.leftovers().DropSome(nil, s.Comparer.IsAlone)
	snap, at, err := s.latest(ctx)
	if err != nil {
		return applied, false, s.unreadable(&ops[0], err)
	}
	projected, more, err := s.Pending.Finish(at.Seq)
	warnings = append(warnings, more...)
	if err == nil && len(projected) > 0 {
		snap, _, err = s.Loader.LookAgain(snap, at, projected)
	}
	if err != nil {
		return applied, false, s.unreadable(&ops[0], err)
	}
	if at.Seq > 0 && at.Head == "" {
		s.Loader.Forget()
		return applied, false, failure.New(model.CodeInvalid, failure.GuardStore, &ops[0], nil, txlog.HintTail,
			"nothing was changed: the last entry of the log can't be read")
	}
	if _, done := s.Current.Known(); done < at.Seq {
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
	return s.CommitAndProject(t, at, warnings)
}

// isOvertaken says whether something follows an entry already, which without a lock can be.
// What is refused then may be refused for the files of the newer one.
func (s *Writer) isOvertaken(at txlog.Tip) bool {
	last, err := s.Log.Tail(at.Seq)
	return err == nil && last > at.Seq
}

func (s *Writer) unreadable(op *model.Op, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var said *failure.Error
	if errors.As(err, &said) {
		return err
	}
	var moved *fsys.MovedError
	if errors.As(err, &moved) {
		return failure.New(model.CodeRefused, failure.GuardStore, op, err, "move it back, or open the store you want; nothing was changed",
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
func (s *Writer) latest(ctx context.Context) (*snapshot.Snapshot, txlog.Tip, error) {
	for range maxDropped {
		if _, err := s.Loader.Refresh(ctx); err != nil {
			return nil, txlog.Tip{}, err
		}
		if snap, at := s.Current.Get(); snap != nil {
			return snap, at, nil
		}
	}
	return nil, txlog.Tip{}, failure.ErrRestless
}

// computeFresh computes the change from what the files of its tasks say now, not from what
// they said when they were loaded.
func (s *Writer) computeFresh(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, ops []model.Op) (t *Transaction, warnings []string, err error) {
	var subjects []model.UID
	for i := range ops {
		_, known := snap.Task(ops[i].UID)
		if ops[i].Name == model.ExternalEdit || known && len(subjects) < project.Many {
			subjects = append(subjects, ops[i].UID)
		}
	}
	if s.Current.Unswept() {
		subjects = neighbors(snap, subjects)
	}
	for range maxEdited {
		restored, err := s.restoreStale(at, subjects)
		warnings = append(warnings, restored...)
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		if snap, _, err = s.Loader.LookAgain(snap, at, subjects); err == nil {
			err = s.Loader.LookAtDocs(snap, ops)
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		merged, err := s.finishMerges(ctx, snap, at, subjects)
		if err == nil && len(merged) > 0 {
			subjects = slices.Compact(slices.Sorted(slices.Values(slices.Concat(subjects, merged))))
			if snap, _, err = s.Loader.LookAgain(snap, at, subjects); err == nil {
				err = s.Loader.LookAtDocs(snap, ops)
			}
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		seen := s.Loader.Preview(snap, at, subjects)
		if seen.Snap, err = s.Loader.AsAsked(seen.Snap, at, ops); err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		all, before, imported, err := s.withEdits(ctx, seen, ops, subjects)
		if errors.Is(err, edits.ErrShifted) {
			continue
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		t, err := s.Compute(ctx, seen.Snap, all, before)
		if err != nil {
			return nil, warnings, err
		}
		subjects = withTasks(subjects, t.change.Tasks)
		var moved bool
		if snap, moved, err = s.Loader.LookAgain(snap, at, subjects); err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		now := s.Loader.Preview(snap, at, slices.Concat(subjects, imported))
		moved = moved || !seen.Agrees(now, subjects, imported)
		more, err := s.Loader.MoreEdited(now, subjects, imported)
		if err == nil && !more {
			more, err = s.isWrittenOn(t)
		}
		if err != nil {
			return nil, warnings, s.unreadable(&ops[0], err)
		}
		if !moved && !more && !s.Edits.HasStale(subjects) {
			return t, warnings, nil
		}
	}
	return nil, warnings, failure.New(model.CodeConflict, failure.GuardUnmoved, &ops[0], nil, "try again; nothing was changed", "someone is editing the task's files")
}

// withTasks adds the uids of tasks that uids lacks. There may be very many.
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

// neighbors are tasks and those whose states theirs depend on, as far as it is cheap to
// read them all.
func neighbors(snap *snapshot.Snapshot, of []model.UID) []model.UID {
	out := slices.Clone(of)
	add := func(uid model.UID) {
		if uid != "" && len(out) < project.Many && !slices.Contains(out, uid) {
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
func (s *Writer) syncLog(seq uint64, op *model.Op) error {
	err := s.Disk.SyncDir(layout.LogDir)
	if err == nil {
		return nil
	}
	s.doubt(seq)
	return failure.New(model.CodeNotDurable, failure.GuardDurable, op, err,
		"check the disk; repeating it with the same operation id does not apply it twice",
		"it is applied as entry %d, but the disk did not confirm that it is durable", seq)
}
