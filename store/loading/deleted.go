package loading

import (
	"context"
	"io/fs"
	"maps"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/pending"
)

// A task may be deleted while there is no checkpoint to compare with. That is found once, before the next
// checkpoint is written or when a task appears: the log names the task, and it is not there.

// deletedUnseen is a task of which nothing was known, as the log last knew it, where that was not told that
// it went; else nil. The caller holds looking.
func (s *Loader) deletedUnseen(uid model.UID) (*model.Task, error) {
	snap, at := s.Current.Get()
	if snap == nil {
		return nil, nil
	}
	if err := s.Ops.Update(context.Background(), at.Seq); err != nil {
		return nil, err
	}
	lost, err := s.findDeleted(context.Background(), snap, at.Seq)
	if err != nil {
		return nil, err
	}
	s.noteDeleted(lost)
	if e, _ := s.Edits.Of(uid); e.Deleted {
		return e.Was, nil
	}
	return nil, nil
}

// findDeleted looks, unless it is known already, for tasks that the log knows and that are not in a
// snapshot as of the entry last, though nobody told that they went.
func (s *Loader) findDeleted(ctx context.Context, snap *snapshot.Snapshot, last uint64) ([]*model.Task, error) {
	if s.Ops.IsWhole() || last == 0 {
		return nil, nil
	}
	named, err := s.Comparer.NamedInLog(ctx, last)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(named, func(uid model.UID, _ bool) bool {
		_, there := s.Edits.Known(snap, uid)
		return there || !uid.Valid() || s.Ops.IsDeleted(uid)
	})
	return s.Comparer.LastLogged(ctx, named, last)
}

// noteDeleted remembers tasks that findDeleted has found: the next transaction tells of them.
func (s *Loader) noteDeleted(tasks []*model.Task) {
	for _, t := range tasks {
		if in, err := s.Disk.FS.Stat(layout.TaskDir(t.UID)); err == nil && in.Type != fs.ModeDir {
			continue // a load tells of what is there instead
		}
		s.Edits.SetDeleted(t)
	}
	s.Ops.SetWhole()
}

// findAllDeleted sees to it that all tasks that went are known.
func (s *Loader) findAllDeleted(ctx context.Context) error {
	snap, at := s.Current.Get()
	if snap == nil {
		return checkpoint.ErrBehind
	}
	if err := s.Ops.Update(ctx, at.Seq); err != nil {
		return err
	}
	lost, err := s.findDeleted(ctx, snap, at.Seq)
	if err != nil {
		return err
	}
	s.Looking.Lock()
	defer s.Looking.Unlock()
	if _, now := s.Current.Get(); now != at {
		return nil // the next one does
	}
	s.noteDeleted(lost)
	return nil
}

// A task's directory may come or go without a transaction: git brings those of another
// branch, somebody moves one away. What the log knows of a task that came is blank, and
// what it knew of one that went is kept in mind until the log is told.

// NeedsLook says whether what is wrong with a task may change without its own files.
func NeedsLook(snap *snapshot.Snapshot, uid model.UID) bool {
	if snap == nil {
		return false
	}
	t, ok := snap.Task(uid)
	if !ok {
		return false
	}
	for _, p := range t.Problems {
		if p.Severity == model.Error || p.Code == failure.Theirs || pending.Is(p) {
			return true
		}
	}
	return false
}
