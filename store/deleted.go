package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store/checkpoint"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/pending"
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

// A task's directory may come or go without a transaction: git brings those of another
// branch, somebody moves one away. What the log knows of a task that came is blank, and
// what it knew of one that went is kept in mind until the log is told.

// openTasks opens tasks/; where there is none it has nothing in it.
func (s *Store) openTasks() (fsys.Dir, error) {
	d, err := s.fs.OpenDir(layout.TasksDir)
	if fsys.Missing(err) {
		return noDir{}, nil
	}
	return d, err
}

// noDir is a directory that is not there.
type noDir struct{}

func (noDir) Entries() ([]fsys.Entry, error)         { return nil, nil }
func (noDir) ReadFile(string, int64) ([]byte, error) { return nil, fs.ErrNotExist }
func (noDir) OpenDir(string) (fsys.Dir, error)       { return nil, fs.ErrNotExist }
func (noDir) Stat(string) (fsys.Info, error)         { return fsys.Info{}, fs.ErrNotExist }
func (noDir) Close() error                           { return nil }
func (noDir) Open(string, int64) (io.ReadCloser, fsys.Info, error) {
	return nil, fsys.Info{}, fs.ErrNotExist
}

// apply computes an operation; that a task was deleted is none of the lifecycle's.
func apply(w model.World, op model.Op) (*model.Change, error) {
	x := model.ArgsOf[model.External](&op)
	if !x.Gone {
		return lifecycle.Apply(w, op)
	}
	c := &model.Change{Op: op, Summary: fmt.Sprintf("%q was removed", x.Was.Config.Name)}
	for _, f := range x.Files {
		c.Files = append(c.Files, model.FileChange{Path: layout.TaskFile(op.UID, f.Name), Edited: true, Was: f.Old})
	}
	return c, nil
}

// deletedTask is the task that a file is of, as it was known, where it was deleted as a whole; else
// nil.
func (t *transaction) deletedTask(name string) *model.Task {
	uid, _, _ := layout.TaskOf(name)
	for i := range t.ops {
		if x := model.ArgsOf[model.External](&t.ops[i]); x.Gone && t.ops[i].UID == uid {
			return x.Was
		}
	}
	return nil
}

// needsLook says whether what is wrong with a task may change without its own files.
func needsLook(snap *snapshot.Snapshot, uid model.UID) bool {
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
