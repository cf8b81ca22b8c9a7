package loading

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/parallel"
	"vespe/store/project"
	"vespe/store/requests"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Others of this process look while a transaction is computed, and each of them may change what is
// shown of a task and what is known to be edited in it. So it is computed from both as they were at
// one moment, and holds only while they are that.

// Preview is a snapshot, and what belongs to it: the edits of some tasks, and of all that have gone.
type Preview struct {
	Snap  *snapshot.Snapshot
	Edits map[model.UID]edits.Edit
}

// Preview is the current snapshot, where that is as of an entry, else the one that is given.
func (s *Loader) Preview(snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) Preview {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	if now, there := s.Current.Get(); now != nil && there == at {
		snap = now
	}
	return Preview{snap, s.Edits.Some(uids)}
}

// Agrees says whether what was computed of some tasks, with the edits of others, holds later, too.
func (v Preview) Agrees(now Preview, uids, imported []model.UID) bool {
	same := func(uid model.UID) bool {
		was, before := v.Edits[uid]
		e, after := now.Edits[uid]
		return before == after && (!before || was.Equal(&e))
	}
	for _, uid := range imported {
		if !same(uid) {
			return false
		}
	}
	if v.Snap == now.Snap {
		return true // other edits found meanwhile are confirmed separately
	}
	for _, uid := range uids {
		was, before := v.Snap.Task(uid)
		t, after := now.Snap.Task(uid)
		if before != after || before && !taskfiles.SameTask(was, t) {
			return false
		}
	}
	return reflect.DeepEqual(v.Snap.Policy(), now.Snap.Policy()) && storefiles.SameMilestones(v.Snap.MilestoneFile(), now.Snap.MilestoneFile())
}

// DeletedTasks are tasks that were deleted and that the log does not know to be, as many as one
// transaction tells. What is pending of a task must be forgotten or projected first.
func (v Preview) DeletedTasks(table *edits.Table, most int) (uids []model.UID) {
	for _, uid := range slices.Sorted(maps.Keys(v.Edits)) {
		if v.Edits[uid].Deleted && table.Pending(uid) == 0 && len(uids) < most {
			uids = append(uids, uid)
		}
	}
	return uids
}

// LookAgain reads tasks and the policy again, and puts what was edited past vespe into a
// snapshot.
func (s *Loader) LookAgain(snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) (now *snapshot.Snapshot, moved bool, err error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	if now, there := s.Current.Get(); now != nil && there == at {
		snap = now // others of this process may have looked meanwhile
	}
	was := snap
	if snap, err = s.ruled(snap); err != nil {
		return nil, false, err
	}
	edited, deleted, err := s.edited(snap, uids)
	if err != nil {
		return nil, false, err
	}
	if len(edited)+len(deleted) == 0 && snap == was {
		return snap, false, nil
	}
	if len(edited) > 0 {
		snap = snap.With(at.Seq, at.Head, edited, nil)
	}
	if len(deleted) > 0 {
		snap = snap.Amend(snapshot.Amendment{Gone: deleted})
	}
	return s.Keep(snap, at), true, nil
}

// LookAtDocs looks whether somebody wrote the documents of tasks that operations are on.
func (s *Loader) LookAtDocs(snap *snapshot.Snapshot, ops []model.Op) error {
	return parallel.EachIf(len(ops) > s.Pending.Projector.Many, len(ops), func(i int) (err error) {
		if _, known := snap.Task(ops[i].UID); known && (i < project.Many || ops[i].Name == model.ExternalEdit) {
			var v view.View
			if v, err = s.View(); err == nil {
				_, err = s.noticeDocs(v, snap, ops[i].UID)
			}
		}
		return failure.About(ops[i].UID, err)
	})
}

// MoreEdited says whether there are edits beside those that are taken over, which are sorted.
func (s *Loader) MoreEdited(now Preview, uids, imported []model.UID) (bool, error) {
	for _, uid := range uids {
		if _, taken := slices.BinarySearch(imported, uid); taken {
			continue
		}
		x, err := s.Comparer.External(now.Edits, uid)
		if errors.Is(err, edits.ErrShifted) {
			return true, nil
		}
		if err != nil || len(x.Files) > 0 {
			return true, failure.About(uid, err)
		}
	}
	return false, nil
}

// edited reads tasks again and returns those that are now to be thought of otherwise than
// a snapshot has them, and those that it has and that were deleted: someone was at their
// files without a transaction.
func (s *Loader) edited(snap *snapshot.Snapshot, uids []model.UID) (edited []*model.Task, deleted []model.UID, err error) {
	d, err := taskfiles.OpenAll(s.Disk.FS)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	tasks := make([]*model.Task, len(uids))
	if err := parallel.EachIf(len(uids) > s.Pending.Projector.Many, len(uids), func(i int) (err error) {
		// What the disk does not give is no edit, and nothing can be decided on it.
		tasks[i], err = s.Pending.ReadTaskUnless(d, uids[i], nil, func(err error) bool { return !fsys.IsAboutFile(err) })
		return err
	}); err != nil {
		return nil, nil, err
	}
	for i, uid := range uids {
		was, shown := snap.Task(uid)
		before := s.Edits.KnownOrBlank(snap, uid)
		now := tasks[i]
		if now == nil {
			if s.Edits.SetDeleted(before); shown {
				deleted = append(deleted, uid)
			}
			continue
		}
		if now, err = s.noticed(before, now); err != nil {
			return nil, nil, err
		}
		if !shown || !taskfiles.SameTask(was, now) {
			edited = append(edited, now)
		}
	}
	return edited, deleted, nil
}

// AsAsked is a snapshot in which the requests that operations are about are what they ask now.
func (s *Loader) AsAsked(snap *snapshot.Snapshot, at txlog.Tip, ops []model.Op) (*snapshot.Snapshot, error) {
	var now []model.Request
	for i := range ops {
		r, ok, err := s.Requests.Now(ops[i].Request())
		if err != nil {
			return nil, err
		}
		was := slices.IndexFunc(snap.Requests(), func(was model.Request) bool { return was.ID == r.ID })
		if ok && (was < 0 || !requests.Same(&snap.Requests()[was], &r)) {
			now = append(now, r)
		}
	}
	if len(now) == 0 {
		return snap, nil
	}
	s.Looking.Lock()
	defer s.Looking.Unlock()
	if kept, there := s.Current.Get(); kept != nil && there == at { // others of this process may have looked meanwhile
		s.Keep(kept.With(at.Seq, at.Head, nil, now), at)
	}
	return snap.With(at.Seq, at.Head, nil, now), nil
}
