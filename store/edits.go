package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// noticed is what to think of a task that the log knows as was and whose files say now.
func (s *Store) noticed(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsUnread(was) {
		_, at := s.current.Get()
		look := []*model.Task{now}
		doubted, err := s.comparer.FirstLook(context.Background(), look, at.Seq)
		if err != nil {
			return nil, err
		}
		was, now = look[0], look[0]
		if len(doubted) > 0 {
			was = doubted[0]
		}
	}
	if taskfiles.IsBlank(was) {
		t, err := s.deletedUnseen(now.UID)
		if err != nil {
			return nil, err
		}
		if t != nil {
			was = t
		}
	}
	return s.comparer.Compare(was, now)
}

// noticeDocs remembers documents that were written past vespe. v is no older than the snapshot: an approval may be in
// an entry that is being projected. unedited is true where they were
// compared, and nothing of the task was; not where the log has told of newer ones meanwhile.
func (s *Store) noticeDocs(v view.View, snap *snapshot.Snapshot, uid model.UID) (unedited bool, err error) {
	t, ok := snap.Task(uid)
	if !ok {
		return false, nil
	}
	known, _ := s.edits.Known(snap, uid)
	conflicts, err := v.Tampered(t)
	if err != nil {
		return false, err
	}
	var docs []model.Doc
	compared := true
	for _, d := range []struct {
		doc model.Doc
		has bool
	}{{model.Objective, t.HasObjective}, {model.Plan, t.HasPlan}} {
		if !d.has {
			continue
		}
		edited, conflict, err := s.comparer.Document(uid, d.doc, view.CurrentOf(&known.Status, d.doc))
		if errors.Is(err, edits.ErrIncomparable) {
			compared, err = false, nil
		}
		if err != nil {
			return false, err
		}
		if conflicts = append(conflicts, conflict...); edited && !taskfiles.IsBlank(known) { // of a task that came, all is taken over
			docs = append(docs, d.doc)
		}
	}
	s.looking.Lock() // else what is shown and what is known to be edited may be of two moments
	defer s.looking.Unlock()
	shown, _ := s.current.Get()
	if shown == nil {
		return false, nil
	}
	now, ok := shown.Task(uid)
	if !ok || !slices.Equal(review.StandingApprovals(&t.Status), review.StandingApprovals(&now.Status)) {
		return false, nil
	}
	e, edited := s.edits.Of(uid)
	if !edited {
		e = edits.Edit{Was: now, Now: now}
	}
	if e.Was.Status.ObjectiveRevision != known.Status.ObjectiveRevision || e.Was.Status.PlanRevision != known.Status.PlanRevision {
		return false, nil
	}
	e.Docs = docs
	s.edits.Noticed(e, conflicts)
	return compared && !s.edits.Differs(uid) && !needsLook(shown, uid), nil
}

// tellConflicts puts what is wrong with documents into the current snapshot.
func (s *Store) tellConflicts() {
	s.looking.Lock()
	defer s.looking.Unlock()
	snap, at := s.current.Get()
	if snap == nil {
		return
	}
	now := s.edits.Conflicts()
	ours := func(p model.Problem) bool { return isAboutDoc(p) || view.IsAboutApproval(p) }
	told := without(snap.StoreProblems(), func(p model.Problem) bool { return !ours(p) })
	if !slices.Equal(told, now) {
		now = append(without(snap.StoreProblems(), ours), now...)
		s.keep(snap.Amend(snapshot.Amendment{Problems: &now}), at)
	}
}

func isAboutDoc(p model.Problem) bool {
	return p.UID != "" && (p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Objective))) || p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Plan))))
}

// Edited are the tasks whose files were found to be written past vespe, and not taken over
// yet, in uid order.
func (s *Store) Edited() []model.UID { return s.edits.Edited() }

// takenOver forgets edits that are in the log now. from is the snapshot before.
func (s *Store) takenOver(t *transaction, from *snapshot.Snapshot) {
	known, taken := map[model.UID]*model.Task{}, map[model.UID]*model.External{}
	for i := range t.ops {
		if x, ok := t.ops[i].Args.(model.External); ok {
			uid := t.ops[i].UID
			if taken[uid], known[uid] = &x, x.Now; x.Gone {
				known[uid] = taskfiles.Blank(uid)
			}
		}
	}
	for i, task := range t.change.Tasks {
		known[task.UID] = t.withFiles(task, t.change.Touched[i])
	}
	s.edits.TakenOver(known, taken, from)
}

// keepLoaded makes a snapshot of everything the current one, unless a newer one is. All of it is
// believed but for tasks that the log knows otherwise, which are given as it knows them.
func (s *Store) keepLoaded(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, names int64, doubted []*model.Task) (*snapshot.Snapshot, error) {
	s.looking.Lock()
	defer s.looking.Unlock()
	known, deleted := s.knownTo(ctx, snap, at, doubted)
	newest := s.current.Read(at.Seq, names, false)
	if newest {
		s.edits.Reset()
	}
	if newest && len(known) > 0 {
		tasks := make([]*model.Task, len(known))
		for i, was := range known {
			now, _ := snap.Task(was.UID)
			var err error
			if tasks[i], err = s.comparer.Compare(was, now); err != nil {
				return nil, err
			}
		}
		snap = snap.With(at.Seq, at.Head, tasks, nil)
	}
	if newest {
		for _, now := range flawed(snap) {
			s.edits.Unmark(now, true)
		}
		for _, was := range deleted {
			s.edits.SetDeleted(was)
		}
	}
	return s.keep(snap, at), nil
}

// knownTo is the tasks of a snapshot whose files this process knows the log to have otherwise, as
// the log has them: those of doubted, and those that the current snapshot tells of. What was found
// to be an edit must not become what is known because everything was read anew. deleted are those that
// it knows and that were not there when everything was read.
func (s *Store) knownTo(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, doubted []*model.Task) (known, deleted []*model.Task) {
	old, there := s.current.Get()
	if old != nil && there.Seq < at.Seq {
		if _, err := s.advance(ctx, old, there, at.Seq); err == nil {
			old, there = s.current.Get()
		}
	}
	if old == nil || there != at {
		return doubted, nil // it is of another log, or cannot be brought up to this entry
	}
	known = slices.Clone(doubted)
	uids := make([]model.UID, snap.Len())
	for i := range uids {
		now := snap.At(i)
		uids[i] = now.UID
		if slices.ContainsFunc(doubted, func(t *model.Task) bool { return t.UID == now.UID }) {
			continue
		}
		if was := s.edits.KnownOrBlank(old, now.UID); !taskfiles.IsBlank(was) && !taskfiles.Same(was, now) {
			known = append(known, was)
		}
	}
	for _, uid := range taskfiles.DifferentNames(old, uids) {
		if _, there := snap.Index(uid); !there {
			if was := s.edits.KnownOrBlank(old, uid); !taskfiles.IsBlank(was) {
				deleted = append(deleted, was)
			}
		}
	}
	for _, was := range s.edits.Deleted() {
		if _, there := snap.Index(was.UID); !there {
			deleted = append(deleted, was)
		}
	}
	return known, deleted
}

// restoreStale writes files of tasks again that a late writer has set back, under the lock.
func (s *Store) restoreStale(at txlog.Tip, uids []model.UID) (warnings []string, err error) {
	for _, uid := range uids {
		names := s.edits.TakeStale(uid)
		if len(names) > 0 && s.comparer.IsAlone() {
			continue // they are edits, and found to be when they are looked at again
		}
		for _, name := range names {
			hash, err := s.disk.Hash(name)
			if err != nil && fsys.IsAboutFile(err) {
				continue // its content has changed, which a load reports
			}
			if err != nil {
				return warnings, about(uid, err)
			}
			w, err := s.writes.Overtaken(name, hash)
			if err != nil {
				return warnings, about(uid, err)
			}
			if w == nil {
				continue // it was put right meanwhile, or edited
			}
			f := w.Image
			f.Was = hash
			more, refused, err := s.pending.Project(at.Seq, []*txlog.FileImage{&f})
			warnings = append(warnings, more...)
			if err == nil && len(refused) > 0 {
				err = fmt.Errorf("%s can't be written", layout.Shown(layout.TaskDir(uid)))
			}
			if err != nil {
				s.edits.AddStale(uid, []string{name})
				return warnings, about(uid, err)
			}
			warnings = append(warnings, fmt.Sprintf("%s was overwritten by a late writer; it is restored to what entry %d wrote", layout.Shown(name), w.Seq))
		}
	}
	return warnings, nil
}
