package store

import (
	"fmt"
	"io"
	"io/fs"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/pending"
)

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
