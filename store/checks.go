package store

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/fsck"
	"vespe/store/pending"
	"vespe/store/project"
)

// Fsck checks the store, and repairs it.
func (s *Store) Fsck() *fsck.Checker {
	c := s.checker
	c.Git = s.head()
	return &c
}

func (s *Store) newChecker(projector *project.Projector, unprojected *pending.List) fsck.Checker {
	return fsck.Checker{
		Parts: fsck.Parts{
			Root: s.root, Disk: &s.disk, Log: &s.log, Edits: &s.edits, Comparer: &s.comparer, Projector: projector,
			Pending: unprojected, Checkpoints: s.checkpoints.Files, LockQueue: &s.writer.LockQueue,
		},
		Writable: s.Writable, Hint: unprojected.Hint, Names: s.loader.TaskNames, Forget: s.loader.Forget,
		ForgetLog: s.loader.ForgetLog,
		Load:      func(ctx context.Context) (*snapshot.Snapshot, error) { return s.Load(ctx, nil) },
		LoadFiles: s.loader.LoadFiles, LoadApart: s.loadApart,
		History: func(ctx context.Context, uid model.UID) ([]model.Problem, error) {
			_, ps, err := s.History(ctx, uid)
			return ps, err
		},
		Alone: s.writer.AloneAfter, Record: s.recordRepaired,
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
	if err := s.loader.ShowStrayed(strayed); err != nil {
		return err
	}
	_, err := s.ImportEdits(ctx, uids)
	return err
}
