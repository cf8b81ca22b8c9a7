package store

import (
	"context"
	"time"

	"vespe/model"
	"vespe/store/follow"
	"vespe/store/fsys"
)

// Follow begins to keep the store in step with what others write, until ctx ends or the store is closed. Wait
// tells of it. Edits past vespe are taken over once they have been quiet for a second,
// unless the store is for reading only.
func (s *Store) Follow(ctx context.Context, opt follow.Options) {
	f := follow.New(s.followed(), opt)
	ctx, end := context.WithCancel(ctx)
	s.background.follower.Store(f)
	s.background.until(end)
	s.background.Go(func() {
		defer end()
		f.Run(ctx)
	})
}

// followed is what a follower needs of the store.
func (s *Store) followed() follow.Source {
	return follow.Source{
		Root: s.root, Disk: &s.disk, Edits: &s.edits, Current: s.loader.Latest, ReadOnly: s.ReadOnly, View: s.loader.Projected,
		Names:        s.loader.TaskNames,
		Sweep:        func(ctx context.Context, uids []model.UID) error { return s.loader.Sweep(ctx, uids, nil) },
		RefreshFiles: s.loader.RefreshStoreFiles, Import: s.ImportEdits, Do: s.DoAll,
		Outruled: s.rules.Outruled,
		Prioritize: func(ctx context.Context) error {
			_, err := s.Prioritize(ctx, PrioritizeOptions{})
			return err
		},
		Reopen: s.writer.Reopen,
		Pack:   s.checkpoints.PackSoon,
	}
}

// Watch says which tasks somebody looks at: their directories are watched first, and where the
// system does not watch them, their files are looked at more often than others'. Without
// Follow it does nothing.
func (s *Store) Watch(uids []model.UID) { s.background.follower.Load().Watch(uids) }

// Wait returns when something changed since the last Wait, and after d in any case. Without
// Follow it only waits. The error says that the log cannot be looked at.
func (s *Store) Wait(ctx context.Context, d time.Duration) (model.Update, error) {
	f := s.background.follower.Load()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return model.Update{}, ctx.Err()
	case <-f.News():
	case <-t.C:
	}
	if err := s.disk.FS.Named(); err != nil {
		_, at := s.loader.Latest()
		return model.Update{Seq: at.Seq, Stale: err.Error()}, nil
	}
	seq, err := s.Head(ctx)
	u := model.Update{Seq: seq}
	u.Edited, u.Stale = f.Told()
	return u, err
}

// Await returns when the log has an entry after the one with that number, and after d in any
// case, with the number of its last entry. Many can wait so; Follow is for who shows all that changes.
func (s *Store) Await(ctx context.Context, after uint64, d time.Duration) (uint64, error) {
	return follow.Await(ctx, s.root, s.Head, after, d, fsys.NewWatcher)
}
