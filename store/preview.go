package store

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/parallel"
	"vespe/store/storefiles"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Others of this process look while a transaction is computed, and each of them may change what is
// shown of a task and what is known to be edited in it. So it is computed from both as they were at
// one moment, and holds only while they are that.

// preview is a snapshot, and what belongs to it: the edits of some tasks, and of all that have gone.
type preview struct {
	snap  *snapshot.Snapshot
	edits map[model.UID]edits.Edit
}

// preview is the current snapshot, where that is as of an entry, else the one that is given.
func (s *Store) preview(snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) preview {
	s.looking.Lock()
	defer s.looking.Unlock()
	if now, there := s.current.Get(); now != nil && there == at {
		snap = now
	}
	return preview{snap, s.edits.Some(uids)}
}

// agrees says whether what was computed of some tasks, with the edits of others, holds later, too.
func (v preview) agrees(now preview, uids, imported []model.UID) bool {
	same := func(uid model.UID) bool {
		was, before := v.edits[uid]
		e, after := now.edits[uid]
		return before == after && (!before || was.Equal(&e))
	}
	for _, uid := range imported {
		if !same(uid) {
			return false
		}
	}
	if v.snap == now.snap {
		return true // what was found to be edited besides is asked for apart
	}
	for _, uid := range uids {
		was, before := v.snap.Task(uid)
		t, after := now.snap.Task(uid)
		if before != after || before && !taskfiles.SameTask(was, t) {
			return false
		}
	}
	return reflect.DeepEqual(v.snap.Policy(), now.snap.Policy()) && storefiles.SameMilestones(v.snap.MilestoneFile(), now.snap.MilestoneFile())
}

// deletedTasks are tasks that were deleted and that the log does not know to be, as many as one
// transaction tells. What is pending of a task must be forgotten or projected first.
func (v preview) deletedTasks(table *edits.Table) (uids []model.UID) {
	for _, uid := range slices.Sorted(maps.Keys(v.edits)) {
		if v.edits[uid].Deleted && table.Pending(uid) == 0 && len(uids) < importAtOnce {
			uids = append(uids, uid)
		}
	}
	return uids
}

// lookAgain reads tasks and the policy again, and puts what was edited past vespe into a
// snapshot.
func (s *Store) lookAgain(snap *snapshot.Snapshot, at txlog.Tip, uids []model.UID) (now *snapshot.Snapshot, moved bool, err error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	if now, there := s.current.Get(); now != nil && there == at {
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
	return s.keep(snap, at), true, nil
}

// lookAtDocs looks whether somebody wrote the documents of tasks that operations are on.
func (s *Store) lookAtDocs(snap *snapshot.Snapshot, ops []model.Op) error {
	return parallel.EachIf(len(ops) > s.projector.Many, len(ops), func(i int) (err error) {
		if _, known := snap.Task(ops[i].UID); known && (i < manyFiles || ops[i].Name == model.ExternalEdit) {
			var v view.View
			if v, err = s.view(); err == nil {
				_, err = s.noticeDocs(v, snap, ops[i].UID)
			}
		}
		return about(ops[i].UID, err)
	})
}

// moreEdited says whether there are edits beside those that are taken over, which are sorted.
func (s *Store) moreEdited(now preview, uids, imported []model.UID) (bool, error) {
	for _, uid := range uids {
		if _, taken := slices.BinarySearch(imported, uid); taken {
			continue
		}
		x, err := s.comparer.External(now.edits, uid)
		if errors.Is(err, edits.ErrShifted) {
			return true, nil
		}
		if err != nil || len(x.Files) > 0 {
			return true, about(uid, err)
		}
	}
	return false, nil
}
