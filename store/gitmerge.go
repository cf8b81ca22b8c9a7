package store

import (
	"context"

	"vespe/model"
	"vespe/store/gitmerge"
)

// Merged is what ContinueMerge has done.
type Merged struct {
	gitmerge.Outcome
	Tasks    int      // in which operations of other clones were repeated
	Taken    int      // other tasks whose changed files were taken over
	Warnings []string // about tasks whose changes were not taken over
}

// ContinueMerge resolves the conflicts that git has left in the store's files, in a clone whose git does not know
// vespe's merge driver, and tells git so. Once git has nothing left to do it finishes the merge in the tasks.
func (s *Store) ContinueMerge(ctx context.Context) (m Merged, err error) {
	if err := s.writable(&model.Op{Name: model.ExternalEdit}); err != nil {
		return m, err
	}
	m.Outcome, err = s.InGit().Resolve(ctx)
	if err != nil || m.Busy != "" || len(m.Left) > 0 {
		return m, err // git continues only where nothing changed but what it asked about
	}
	m.Tasks, m.Taken, m.Warnings, err = s.FinishMerges(ctx)
	return m, err
}

// InGit is the repository around the store, as far as merges go.
func (s *Store) InGit() *gitmerge.Repository {
	return &gitmerge.Repository{
		Root: s.root, Disk: &s.disk, Environ: s.opt.Environ, Trusted: s.Trusted,
		Lock: func(ctx context.Context) (func(), error) {
			op := &model.Op{Name: model.ExternalEdit}
			if err := s.writable(op); err != nil {
				return nil, err
			}
			return s.lock(ctx, op)
		},
		Recorded: func(uid model.UID, doc model.Doc) (func(hash string) bool, error) {
			texts, err := s.recordedTexts(uid)
			return func(hash string) bool { return texts[docHash{doc, hash}].n > 0 }, err
		},
	}
}
