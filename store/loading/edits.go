package loading

import (
	"context"
	"errors"
	"slices"

	"vespe/model"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsck"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// noticed is what to think of a task that the log knows as was and whose files say now.
func (s *Loader) noticed(was, now *model.Task) (*model.Task, error) {
	if taskfiles.IsUnread(was) {
		_, at := s.Current.Get()
		look := []*model.Task{now}
		doubted, err := s.Comparer.FirstLook(context.Background(), look, at.Seq)
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
	return s.Comparer.Compare(was, now)
}

// noticeDocs remembers documents that were written past vespe. v is no older than the snapshot: an approval may be in
// an entry that is being projected. unedited is true where they were
// compared, and nothing of the task was; not where the log has told of newer ones meanwhile.
func (s *Loader) noticeDocs(v view.View, snap *snapshot.Snapshot, uid model.UID) (unedited bool, err error) {
	t, ok := snap.Task(uid)
	if !ok {
		return false, nil
	}
	known, _ := s.Edits.Known(snap, uid)
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
		edited, conflict, err := s.Comparer.Document(uid, d.doc, view.CurrentOf(&known.Status, d.doc))
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
	s.Looking.Lock() // else what is shown and what is known to be edited may be of two moments
	defer s.Looking.Unlock()
	shown, _ := s.Current.Get()
	if shown == nil {
		return false, nil
	}
	now, ok := shown.Task(uid)
	if !ok || !slices.Equal(review.StandingApprovals(&t.Status), review.StandingApprovals(&now.Status)) {
		return false, nil
	}
	e, edited := s.Edits.Of(uid)
	if !edited {
		e = edits.Edit{Was: now, Now: now}
	}
	if e.Was.Status.ObjectiveRevision != known.Status.ObjectiveRevision || e.Was.Status.PlanRevision != known.Status.PlanRevision {
		return false, nil
	}
	e.Docs = docs
	s.Edits.Noticed(e, conflicts)
	return compared && !s.Edits.Differs(uid) && !NeedsLook(shown, uid), nil
}

// tellConflicts puts what is wrong with documents into the current snapshot.
func (s *Loader) tellConflicts() {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	snap, at := s.Current.Get()
	if snap == nil {
		return
	}
	now := s.Edits.Conflicts()
	ours := func(p model.Problem) bool { return isAboutDoc(p) || view.IsAboutApproval(p) }
	told := without(snap.StoreProblems(), func(p model.Problem) bool { return !ours(p) })
	if !slices.Equal(told, now) {
		now = append(without(snap.StoreProblems(), ours), now...)
		s.Keep(snap.Amend(snapshot.Amendment{Problems: &now}), at)
	}
}

func isAboutDoc(p model.Problem) bool {
	return p.UID != "" && (p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Objective))) || p.Path == layout.Shown(layout.TaskFile(p.UID, layout.DocFile(model.Plan))))
}

// keepLoaded makes a snapshot of everything the current one, unless a newer one is. All of it is
// believed but for tasks that the log knows otherwise, which are given as it knows them.
func (s *Loader) keepLoaded(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, names int64, doubted []*model.Task) (*snapshot.Snapshot, error) {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	known, deleted := s.knownTo(ctx, snap, at, doubted)
	newest := s.Current.Read(at.Seq, names, false)
	if newest {
		s.Edits.Reset()
	}
	if newest && len(known) > 0 {
		tasks := make([]*model.Task, len(known))
		for i, was := range known {
			now, _ := snap.Task(was.UID)
			var err error
			if tasks[i], err = s.Comparer.Compare(was, now); err != nil {
				return nil, err
			}
		}
		snap = snap.With(at.Seq, at.Head, tasks, nil)
	}
	if newest {
		for _, now := range flawed(snap) {
			s.Edits.Unmark(now, true)
		}
		for _, was := range deleted {
			s.Edits.SetDeleted(was)
		}
	}
	return s.Keep(snap, at), nil
}

// knownTo is the tasks of a snapshot whose files this process knows the log to have otherwise, as
// the log has them: those of doubted, and those that the current snapshot tells of. What was found
// to be an edit must not become what is known because everything was read anew. deleted are those that
// it knows and that were not there when everything was read.
func (s *Loader) knownTo(ctx context.Context, snap *snapshot.Snapshot, at txlog.Tip, doubted []*model.Task) (known, deleted []*model.Task) {
	old, there := s.Current.Get()
	if old != nil && there.Seq < at.Seq {
		if _, err := s.advance(ctx, old, there, at.Seq); err == nil {
			old, there = s.Current.Get()
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
		if was := s.Edits.KnownOrBlank(old, now.UID); !taskfiles.IsBlank(was) && !taskfiles.Same(was, now) {
			known = append(known, was)
		}
	}
	for _, uid := range taskfiles.DifferentNames(old, uids) {
		if _, there := snap.Index(uid); !there {
			if was := s.Edits.KnownOrBlank(old, uid); !taskfiles.IsBlank(was) {
				deleted = append(deleted, was)
			}
		}
	}
	for _, was := range s.Edits.Deleted() {
		if _, there := snap.Index(was.UID); !there {
			deleted = append(deleted, was)
		}
	}
	return known, deleted
}

// ShowStrayed puts tasks that have strayed from the log into the current snapshot, as somebody's edits. It fails if
// that was dropped since it was read.
func (s *Loader) ShowStrayed(found []fsck.Strayed) error {
	s.Looking.Lock()
	defer s.Looking.Unlock()
	snap, at := s.Current.Get()
	switch {
	case len(found) == 0:
		return nil
	case snap == nil:
		return failure.ErrRestless
	}
	tasks := make([]*model.Task, len(found))
	for i, x := range found {
		var err error
		if tasks[i], err = s.Comparer.Compare(x.Was, x.Now); err != nil {
			return err
		}
	}
	s.Keep(snap.With(at.Seq, at.Head, tasks, nil), at)
	return nil
}
