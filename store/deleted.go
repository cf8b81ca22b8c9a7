package store

import (
	"context"
	"io/fs"
	"maps"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/layout"
)

// A task may be deleted while there is no checkpoint to compare with. That is found once, before the next
// checkpoint is written or when a task appears: the log names the task, and it is not there.

// deletedUnseen is a task of which nothing was known, as the log last knew it, where that was not told that
// it went; else nil. The caller holds looking.
func (s *Store) deletedUnseen(uid model.UID) (*model.Task, error) {
	snap, at := s.current.Get()
	if snap == nil {
		return nil, nil
	}
	if err := s.ops.Update(context.Background(), at.Seq); err != nil {
		return nil, err
	}
	lost, err := s.findDeleted(context.Background(), snap, at.Seq)
	if err != nil {
		return nil, err
	}
	s.noteDeleted(lost)
	if e, _ := s.edits.Of(uid); e.Deleted {
		return e.Was, nil
	}
	return nil, nil
}

// findDeleted looks, unless it is known already, for tasks that the log knows and that are not in a
// snapshot as of the entry last, though nobody told that they went.
func (s *Store) findDeleted(ctx context.Context, snap *snapshot.Snapshot, last uint64) ([]*model.Task, error) {
	if s.ops.IsWhole() || last == 0 {
		return nil, nil
	}
	named, err := s.comparer.NamedInLog(ctx, last)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(named, func(uid model.UID, _ bool) bool {
		_, there := s.edits.Known(snap, uid)
		return there || !uid.Valid() || s.ops.IsDeleted(uid)
	})
	return s.comparer.LastLogged(ctx, named, last)
}

// noteDeleted remembers tasks that findDeleted has found: the next transaction tells of them.
func (s *Store) noteDeleted(tasks []*model.Task) {
	for _, t := range tasks {
		if in, err := s.fs.Stat(layout.TaskDir(t.UID)); err == nil && in.Type != fs.ModeDir {
			continue // a load tells of what is there instead
		}
		s.edits.SetDeleted(t)
	}
	s.ops.SetWhole()
}

// findAllDeleted sees to it that all tasks that went are known.
func (s *Store) findAllDeleted(ctx context.Context) error {
	snap, at := s.current.Get()
	if snap == nil {
		return checkpoint.ErrBehind
	}
	if err := s.ops.Update(ctx, at.Seq); err != nil {
		return err
	}
	lost, err := s.findDeleted(ctx, snap, at.Seq)
	if err != nil {
		return err
	}
	s.looking.Lock()
	defer s.looking.Unlock()
	if _, now := s.current.Get(); now != at {
		return nil // the next one does
	}
	s.noteDeleted(lost)
	return nil
}
