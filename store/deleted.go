package store

import (
	"context"
	"io/fs"
	"maps"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/past"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// A task may be deleted while there is no checkpoint to compare with. That is found once, before the next
// checkpoint is written or when a task appears: the log names the task, and it is not there.

// beforeDeletion is what the log last knew of a task that it was told of that it went: blank where it
// was not.
func (c *comparer) beforeDeletion(uid model.UID) (*model.Task, error) {
	last, err := c.log.Tail(0)
	if err == nil {
		err = c.ops.Update(context.Background(), last)
	}
	if err != nil {
		return nil, err
	}
	if t := c.ops.Deleted(uid); t != nil {
		return c.countingByLog(t)
	}
	return taskfiles.Blank(uid), nil
}

// deletedUnseen is a task of which nothing was known, as the log last knew it, where that was not told that
// it went; else nil. The caller holds looking.
func (s *Store) deletedUnseen(uid model.UID) (*model.Task, error) {
	snap, at := s.kept()
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
func (s *Store) findDeleted(ctx context.Context, snap *model.Snapshot, last uint64) ([]*model.Task, error) {
	if s.ops.IsWhole() || last == 0 {
		return nil, nil
	}
	named, err := s.comparer.namedInLog(ctx, last)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(named, func(uid model.UID, _ bool) bool {
		_, there := s.edits.Known(snap, uid)
		return there || !uid.Valid() || s.ops.IsDeleted(uid)
	})
	return s.comparer.lastLogged(ctx, named, last)
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
	snap, at := s.kept()
	if snap == nil {
		return errBehind
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
	if _, now := s.kept(); now != at {
		return nil // the next one does
	}
	s.noteDeleted(lost)
	return nil
}

// namedInLog are the tasks that the log, up to an entry, has written anything of.
func (c *comparer) namedInLog(ctx context.Context, last uint64) (map[model.UID]bool, error) {
	b, err := c.log.OpenBase()
	if err != nil {
		return nil, err
	}
	named := map[model.UID]bool{}
	if err := b.Paths.Each(func(name string, _ txlog.LastImage) {
		if uid, _, ok := layout.TaskOf(name); ok && !named[uid] {
			named[uid] = true
		}
	}); err != nil {
		return nil, err
	}
	if last <= b.Seq {
		return named, nil
	}
	heads, err := c.log.Heads(ctx, b.Seq+1, last, true)
	if err != nil {
		return nil, err
	}
	for i := range heads {
		for _, uid := range heads[i].Uids {
			named[uid] = true
		}
	}
	return named, nil
}

// lastLogged are tasks as the entries up to one last had them: what these did not write was not
// there, but for the identity.
func (c *comparer) lastLogged(ctx context.Context, wanted map[model.UID]bool, last uint64) ([]*model.Task, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	over := map[model.UID]taskfiles.Images{}
	add := func(name string, body func() ([]byte, error)) error {
		uid, rest, ok := layout.TaskOf(name)
		if !ok || !wanted[uid] || !taskfiles.IsOwn(rest) {
			return nil
		}
		if over[uid] == nil {
			over[uid] = taskfiles.Images{}
		}
		if _, newer := over[uid][rest]; newer {
			return nil
		}
		b, err := body()
		if err != nil && fsys.IsTransient(err) {
			return err
		}
		if err == nil {
			over[uid][rest] = b
		}
		return nil
	}
	b, err := c.log.OpenBase()
	if err != nil {
		return nil, err
	}
	for seq := last; seq > b.Seq; seq-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, _, err := c.log.ReadEntry(seq)
		if err != nil {
			if fsys.IsTransient(err) {
				return nil, err
			}
			continue // Doctor says so
		}
		for i := range e.Files {
			f := &e.Files[i]
			if err := add(f.Path, func() ([]byte, error) {
				if f.Hash == "" {
					return nil, nil
				}
				return c.log.BodyOf(f)
			}); err != nil {
				return nil, err
			}
		}
	}
	kept, _, err := past.Read(c.disk.FS, b.Base)
	if err != nil {
		return nil, err
	}
	for name, file := range kept {
		if err := add(name, func() ([]byte, error) {
			if file.Body == nil && file.Hash != "" {
				return []byte{}, nil // a document
			}
			return file.Body, nil
		}); err != nil {
			return nil, err
		}
	}
	var out []*model.Task
	for uid := range wanted {
		t := taskfiles.LaidOver(taskfiles.Blank(uid), over[uid]).Clone()
		t.Config.UID = uid
		if t, err = c.countingByLog(t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
