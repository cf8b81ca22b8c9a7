package store

import (
	"context"
	"fmt"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/results"
)

func (s *Store) newResults() *results.Reader {
	return &results.Reader{Disk: &s.disk, ReadOnly: func() bool { return s.ReadOnly() != "" }}
}

// Results lists the files under a task's result/, with their hashes, in path
// order. Anything in there that is not a plain file or directory is an error: a hash over
// part of a result would say that nothing changed.
func (s *Store) Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return v.results(uid)
}

// ReadResult reads a file under result/; path is relative to it. A file larger than limit
// bytes is a *TooLargeError; errors.Is finds model.ErrNoContent when there is none.
func (s *Store) ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return v.readResult(uid, path, limit)
}

func (v view) readResult(uid model.UID, path string, limit int64) ([]byte, error) {
	if !layout.ValidName(path) || path == "." {
		return nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "", "%q is not a path below result/", path)
	}
	b, err := v.readFile(layout.TaskFile(uid, layout.ResultDir+"/"+path), limit)
	if fsys.Missing(err) {
		return nil, model.ErrNoContent
	}
	if err != nil {
		return nil, fmt.Errorf("read the result of %s: %w", uid, err)
	}
	return b, nil
}
