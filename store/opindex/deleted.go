package opindex

import (
	"path"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
)

// A deleted task is in no snapshot. It may come back at any time, from another branch or a backup, with
// changed files. It is then compared with what the log last knew of it, however old, as if it had been
// edited in place. So the entry that records the deletion keeps the task's own files as they were known
// (FileImage.Kept). Index remembers them, and a checkpoint holds them as a small snapshot.

// deletion is a deleted task as the log last knew it.
type deletion struct {
	task        *model.Task
	from, until uint64 // the entries that told that it went and, if not 0, that it is back
}

// deletions are all of them. The mutex of Index guards them.
type deletions struct {
	table  *snapshot.Snapshot // those of a checkpoint; nil when there are none
	recent map[model.UID][]deletion
	whole  bool // every task that the log knows is in the snapshot or here
}

// DeletedIn are the tasks that an entry says were deleted, and nil for those that came.
func DeletedIn(log *txlog.Log, e *txlog.Entry) (map[model.UID]*model.Task, error) {
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

// of is a task as it was when it went last; nil where it never did. Anyone who asks does not find it
// in the snapshot: that it is back is an entry that it has not come to.
func (a *deletions) of(uid model.UID) *model.Task {
	if list := a.recent[uid]; len(list) > 0 {
		return list[len(list)-1].task
	}
	return a.inTable(uid)
}

// upTo is the tasks that were deleted after an entry; nil for none.
func (a *deletions) upTo(seq uint64) *snapshot.Snapshot {
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
		return snapshot.New(snapshot.Input{Tasks: added})
	}
	if len(added) > 0 {
		snap = snap.With(snap.Seq(), snap.Head(), added, nil)
	}
	if len(back) > 0 {
		snap = snap.Amend(snapshot.Amendment{Gone: back})
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

// PackDeleted is the tasks that were deleted after an entry, for a checkpoint. whole: those are all.
func (x *Index) PackDeleted(seq uint64) (pack []byte, whole bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if snap := x.deleted.upTo(seq); snap != nil {
		pack = snap.Pack()
	}
	return pack, x.deleted.whole
}
