package store

import (
	"context"
	"slices"
	"strings"

	"vespe/model"
	"vespe/store/gitmerge"
	"vespe/store/layout"
	"vespe/store/merge"
	"vespe/store/writing"
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
	names, err := s.marked(ctx)
	if err != nil {
		return m, err
	}
	resolved, left, err := s.InGit().Marked(ctx, names)
	m.Resolved, m.Left = append(m.Resolved, resolved...), left
	if err != nil || len(left) > 0 {
		return m, err
	}
	m.Tasks, m.Taken, m.Warnings, err = s.FinishMerges(ctx)
	return m, err
}

// marked are the files of the store that hold both sides of a conflict, below .vespe.
func (s *Store) marked(ctx context.Context) (names []string, err error) {
	snap, err := s.Load(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range snap.Problems() {
		name, inside := strings.CutPrefix(p.Path, layout.Name+"/")
		if inside && p.Code == model.CodeConflictMarks && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
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
			release, err := s.writer.Lock(ctx, op)
			if err != nil {
				return nil, err
			}
			if err := s.prepare(); err != nil { // of a clone that vespe never wrote to
				release()
				return nil, err
			}
			return release, nil
		},
		Recorded: s.writer.Recorded,
	}
}

// FinishMerges repeats what git left unmerged, in all tasks, and takes over what other clones did. It returns how many tasks were
// merged, how many others were taken over, and warnings about those that were not.
func (s *Store) FinishMerges(ctx context.Context) (merged, taken int, warnings []string, err error) {
	snap, err := s.Load(ctx, nil)
	if err != nil {
		return 0, 0, nil, err
	}
	var ops []model.Op
	for i := range snap.Len() {
		if t := snap.At(i); len(t.Status.UnmergedOps) > 0 {
			ops = append(ops, model.Op{Name: model.ExternalEdit, UID: t.UID, Actor: merge.System, Channel: model.ChannelFiles})
		}
	}
	for part := range slices.Chunk(ops, writing.ImportAtOnce) {
		did, err := s.importEach(ctx, part)
		warnings = append(warnings, did.Warnings...)
		if err != nil {
			return merged, 0, warnings, err
		}
		merged += len(part)
	}
	edited := s.Edited()
	did, err := s.ImportEdits(ctx, nil)
	for _, uid := range edited {
		if !s.edits.IsEdited(uid) {
			taken++
		}
	}
	return merged, taken, append(warnings, did.Warnings...), err
}
