package store

import (
	"context"
	"io/fs"
	"maps"
	"path"

	"vespe/model"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/past"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// A deleted task is in no snapshot. It may come back at any time, from another branch or a backup, with
// changed files. It is then compared with what the log last knew of it, however old, as if it had been
// edited in place. So the entry that records the deletion keeps the task's own files as they were known
// (FileImage.Kept). opIndex remembers them, a checkpoint holds them as a small snapshot, and the base
// holds those whose entries were compacted.
//
// A task may be deleted while there is no checkpoint to compare with. That is found once, before the next
// checkpoint is written or when a task appears: the log names the task, and it is not there.

// deletion is a deleted task as the log last knew it.
type deletion struct {
	task        *model.Task
	from, until uint64 // the entries that told that it went and, if not 0, that it is back
}

// deletions are all of them. The mutex of opIndex guards them.
type deletions struct {
	table  *model.Snapshot // those of a checkpoint; nil when there are none
	recent map[model.UID][]deletion
	whole  bool // every task that the log knows is in the snapshot or here
}

// deletedIn are the tasks that an entry says were deleted, and nil for those that came.
func deletedIn(log *txlog.Log, e *txlog.Entry) (map[model.UID]*model.Task, error) {
	var out map[model.UID]*model.Task
	for i := range e.Ops {
		if e.Ops[i].Name == model.ExternalEdit {
			if out == nil {
				out = map[model.UID]*model.Task{}
			}
			out[e.Ops[i].UID] = nil
		}
	}
	if out == nil {
		return nil, nil
	}
	was, went := map[model.UID]taskfiles.Images{}, map[model.UID]bool{}
	for i := range e.Files {
		f := &e.Files[i]
		uid, rest, ok := layout.TaskOf(f.Path)
		if _, edited := out[uid]; !ok || !edited || !taskfiles.IsOwn(rest) {
			continue
		}
		if rest == layout.ConfigFile {
			went[uid] = f.Hash == ""
		}
		b, err := log.KeptBody(f)
		if err != nil {
			if fsys.IsTransient(err) {
				return nil, err
			}
			continue // Doctor says so
		}
		if path.Ext(rest) == ".md" {
			b = []byte{}
		}
		if b != nil {
			if was[uid] == nil {
				was[uid] = taskfiles.Images{}
			}
			was[uid][rest] = b
		}
	}
	for uid := range out {
		came, known := went[uid]
		switch {
		case !known:
			delete(out, uid) // it was there before and after
		case came:
			out[uid] = taskfiles.LaidOver(taskfiles.Blank(uid), was[uid])
		}
	}
	return out, nil
}

// take remembers what an entry tells.
func (a *deletions) take(seq uint64, tasks map[model.UID]*model.Task) {
	for uid, t := range tasks {
		list := a.recent[uid]
		switch {
		case t != nil:
			list = append(list, deletion{task: t, from: seq})
		case len(list) > 0:
			list[len(list)-1].until = seq
		default:
			if t = a.inTable(uid); t == nil {
				continue
			}
			list = append(list, deletion{task: t, until: seq})
		}
		if a.recent == nil {
			a.recent = map[model.UID][]deletion{}
		}
		a.recent[uid] = list
	}
}

func (a *deletions) inTable(uid model.UID) *model.Task {
	if a.table == nil {
		return nil
	}
	t, _ := a.table.Task(uid)
	return t
}

// of is a task as it was when it went last; nil where it never did. Whoever asks does not find it
// in the snapshot: that it is back is an entry that it has not come to.
func (a *deletions) of(uid model.UID) *model.Task {
	if list := a.recent[uid]; len(list) > 0 {
		return list[len(list)-1].task
	}
	return a.inTable(uid)
}

// upTo is the tasks that were deleted after an entry; nil for none.
func (a *deletions) upTo(seq uint64) *model.Snapshot {
	var added []*model.Task
	var back []model.UID
	for uid, list := range a.recent {
		var now *model.Task
		for _, x := range list {
			if x.from <= seq && (x.until == 0 || x.until > seq) {
				now = x.task
			}
		}
		if now == nil {
			back = append(back, uid)
		} else {
			added = append(added, now)
		}
	}
	snap := a.table
	if snap == nil {
		if len(added) == 0 {
			return nil
		}
		return model.NewSnapshot(model.Input{Tasks: added})
	}
	if len(added) > 0 {
		snap = snap.With(snap.Seq(), snap.Head(), added, nil)
	}
	if len(back) > 0 {
		snap = snap.Amend(model.Amendment{Gone: back})
	}
	if snap.Len() == 0 {
		return nil
	}
	return snap
}

// isDeleted says whether the log knows that a task is deleted.
func (a *deletions) isDeleted(uid model.UID) bool {
	if list := a.recent[uid]; len(list) > 0 {
		return list[len(list)-1].until == 0
	}
	return a.inTable(uid) != nil
}

// packDeleted is the tasks that were deleted after an entry, for a checkpoint. whole: those are all.
func (x *opIndex) packDeleted(seq uint64) (pack []byte, whole bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if snap := x.deleted.upTo(seq); snap != nil {
		pack = snap.Pack()
	}
	return pack, x.deleted.whole
}

// beforeDeletion is what the log last knew of a task that it was told of that it went: blank where it
// was not.
func (s *Store) beforeDeletion(uid model.UID) (*model.Task, error) {
	_, at := s.kept()
	last, err := s.log.Tail(at.Seq)
	if err == nil {
		err = s.ops.update(context.Background(), last)
	}
	if err != nil {
		return nil, err
	}
	if t := s.ops.lastOf(uid); t != nil {
		return s.countingByLog(t)
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
	if err := s.ops.update(context.Background(), at.Seq); err != nil {
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
	if s.ops.isWhole() || last == 0 {
		return nil, nil
	}
	named, err := s.namedInLog(ctx, last)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(named, func(uid model.UID, _ bool) bool {
		_, there := s.edits.Known(snap, uid)
		return there || !uid.Valid() || s.ops.isDeleted(uid)
	})
	return s.lastLogged(ctx, named, last)
}

// noteDeleted remembers tasks that findDeleted has found: the next transaction tells of them.
func (s *Store) noteDeleted(tasks []*model.Task) {
	for _, t := range tasks {
		if in, err := s.fs.Stat(layout.TaskDir(t.UID)); err == nil && in.Type != fs.ModeDir {
			continue // a load tells of what is there instead
		}
		s.edits.SetDeleted(t)
	}
	s.ops.setWhole()
}

// findAllDeleted sees to it that all tasks that went are known.
func (s *Store) findAllDeleted(ctx context.Context) error {
	snap, at := s.kept()
	if snap == nil {
		return errBehind
	}
	if err := s.ops.update(ctx, at.Seq); err != nil {
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
func (s *Store) namedInLog(ctx context.Context, last uint64) (map[model.UID]bool, error) {
	b, err := s.log.OpenBase()
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
	heads, err := s.log.Heads(ctx, b.Seq+1, last, true)
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
func (s *Store) lastLogged(ctx context.Context, wanted map[model.UID]bool, last uint64) ([]*model.Task, error) {
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
	b, err := s.log.OpenBase()
	if err != nil {
		return nil, err
	}
	for seq := last; seq > b.Seq; seq-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, _, err := s.log.ReadEntry(seq)
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
				return s.log.BodyOf(f)
			}); err != nil {
				return nil, err
			}
		}
	}
	kept, _, err := past.Read(s.fs, b.Base)
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
		if t, err = s.countingByLog(t); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
