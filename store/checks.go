package store

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsck"
)

// Fsck checks the store, and repairs it.
func (s *Store) Fsck() *fsck.Checker {
	return &fsck.Checker{
		Parts: fsck.Parts{
			Root: s.root, Disk: &s.disk, Log: &s.log, Edits: &s.edits, Comparer: &s.comparer, Projector: &s.projector,
			Pending: &s.pending, Checkpoints: s.checkpoints.Files, LockQueue: &s.lockQueue, Git: s.head(),
		},
		Writable: s.Writable, Hint: s.readHint, Names: s.taskNames, Forget: s.forget,
		ForgetLog: func() error {
			s.looking.Lock()
			defer s.looking.Unlock()
			s.forgetLog()
			s.log.Top.Store(0)
			return s.pending.Read()
		},
		Load:      func(ctx context.Context) (*snapshot.Snapshot, error) { return s.Load(ctx, nil) },
		LoadFiles: s.load, LoadApart: s.loadApart,
		History: func(ctx context.Context, uid model.UID) ([]model.Problem, error) {
			_, ps, err := s.History(ctx, uid)
			return ps, err
		},
		Alone: s.aloneAfter, Record: s.recordRepaired,
	}
}

// loadApart is what another process would see.
func (s *Store) loadApart(ctx context.Context) (*snapshot.Snapshot, error) {
	opt := s.opt
	opt.ReadOnly = true
	r, err := Open(s.root, opt)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.Load(ctx, nil)
}

// recordRepaired tells the log of tasks that were deleted, and of those whose files say more than it does: these are
// somebody's edits.
func (s *Store) recordRepaired(ctx context.Context, deleted []*model.Task, strayed []fsck.Strayed) error {
	if _, err := s.Refresh(ctx); err != nil {
		return err
	}
	var uids []model.UID
	for _, was := range deleted {
		uids = append(uids, was.UID)
		s.edits.SetDeleted(was)
	}
	for _, x := range strayed {
		uids = append(uids, x.Now.UID)
	}
	if err := s.showStrayed(strayed); err != nil {
		return err
	}
	_, err := s.ImportEdits(ctx, uids)
	return err
}

// showStrayed puts tasks that have strayed from the log into the current snapshot, as somebody's edits.
func (s *Store) showStrayed(found []fsck.Strayed) error {
	s.looking.Lock()
	defer s.looking.Unlock()
	snap, at := s.current.Get()
	if snap == nil || len(found) == 0 {
		return nil
	}
	tasks := make([]*model.Task, len(found))
	for i, x := range found {
		var err error
		if tasks[i], err = s.comparer.Compare(x.Was, x.Now); err != nil {
			return err
		}
	}
	s.keep(snap.With(at.Seq, at.Head, tasks, nil), at)
	return nil
}
