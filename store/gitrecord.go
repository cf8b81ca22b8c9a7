package store

import (
	"context"

	"vespe/store/gitlog"
)

// newRecorder records this store in git.
func (s *Store) newRecorder() *gitlog.Recorder {
	return gitlog.New(gitlog.Source{
		Root: s.root, Disk: &s.disk, Log: &s.log, Now: s.now, StoreID: s.ID, Trusted: s.Trusted,
		Environ: s.opt.Environ, Working: s.opt.Working,
		Policy: s.Policy,
		Last: func() uint64 {
			_, at := s.loader.Latest()
			return at.Seq
		},
		Tasks: func() (int, error) {
			uids, err := s.loader.TaskNames()
			return len(uids), err
		},
	})
}

// recordGit makes commits of what has none yet. It is called after a transaction, without the store's lock.
//
// In a store that is followed somebody waits for the screen, and a first commit takes half a
// minute where there are 100,000 tasks: commits are made in the background, and what goes wrong is told
// with the next transaction.
func (s *Store) recordGit(ctx context.Context) []string {
	if s.background.follower.Load() == nil {
		return s.git.Record(ctx, false)
	}
	s.git.RecordLater(ctx, &s.background.WaitGroup)
	return s.git.TakeLate()
}

// RecordGit is for anyone who will not write again soon: it also records what a large store
// leaves for later. The strings are warnings.
func (s *Store) RecordGit(ctx context.Context) []string {
	if s.ReadOnly() != "" {
		return nil
	}
	now := s.git.Record(ctx, true)
	return append(s.git.TakeLate(), now...)
}
