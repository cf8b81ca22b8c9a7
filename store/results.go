package store

import (
	"context"

	"vespe/model"
	"vespe/store/results"
)

func (s *Store) newResults() *results.Reader {
	return &results.Reader{Disk: &s.disk, ReadOnly: func() bool { return s.ReadOnly() != "" }}
}

// Results lists the files under a task's result/, with their hashes, in path
// order. Anything in there that is not a plain file or directory is an error: a hash over
// part of a result would say that nothing changed.
func (s *Store) Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return v.Results(uid)
}

// ReadResult reads a file under result/; path is relative to it. A file larger than limit
// bytes is a *TooLargeError; errors.Is finds model.ErrNoContent when there is none.
func (s *Store) ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return v.ReadResult(uid, path, limit)
}
