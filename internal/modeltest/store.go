package modeltest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
)

// Store is a World with the methods that the user interface asks of a store.
type Store struct{ w *World }

// Store wraps the world; several may share one.
func (w *World) Store() *Store { return &Store{w} }

// Load returns the snapshot of now, after one report of progress.
func (s *Store) Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	snap := s.w.Snapshot()
	if progress != nil {
		progress(snap.Len(), snap.Len())
	}
	return snap, nil
}

// Head is the number of the last transaction.
func (s *Store) Head(ctx context.Context) (uint64, error) {
	s.w.mu.RLock()
	defer s.w.mu.RUnlock()
	return s.w.seq, ctx.Err()
}

// Do applies one operation.
func (s *Store) Do(ctx context.Context, op model.Op) (snapshot.Applied, error) {
	return s.DoAll(ctx, []model.Op{op})
}

// DoAll applies several operations, all or none.
func (s *Store) DoAll(ctx context.Context, ops []model.Op) (snapshot.Applied, error) {
	if err := ctx.Err(); err != nil {
		return snapshot.Applied{}, err
	}
	return s.w.DoAll(ops)
}

// Content is today's bytes of a document.
func (s *Store) Content(ctx context.Context, uid model.UID, d model.Doc) (model.Content, error) {
	if err := ctx.Err(); err != nil {
		return model.Content{}, err
	}
	return s.w.Content(uid, d)
}

// Revision is one recorded version of a document.
func (s *Store) Revision(ctx context.Context, uid model.UID, d model.Doc, n int) (model.Content, error) {
	if err := ctx.Err(); err != nil {
		return model.Content{}, err
	}
	body, err := s.w.Revision(uid, d, n)
	if err != nil {
		return model.Content{}, fmt.Errorf("revision %d of the %s of %s: %w", n, d, uid, err)
	}
	return model.Content{Doc: d, Body: body, Hash: model.HashBytes(body), Revision: n}, nil
}

// History is the events of a task, oldest first.
func (s *Store) History(ctx context.Context, uid model.UID) ([]model.Event, []model.Problem, error) {
	events := s.w.Events(uid)
	slices.SortStableFunc(events, func(a, b model.Event) int { return a.At.Compare(b.At) })
	return events, nil, ctx.Err()
}

// Results are the files under result/, by path.
func (s *Store) Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error) {
	list := read(s.w, func(u unlocked) []model.ResultFile { return u.results(uid) })
	slices.SortFunc(list, func(a, b model.ResultFile) int { return cmp.Compare(a.Path, b.Path) })
	return list, ctx.Err()
}

// ReadResult is the beginning of one file under result/, at most limit bytes of it.
func (s *Store) ReadResult(ctx context.Context, uid model.UID, name string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	body, err := s.w.ResultFile(uid, name)
	if int64(len(body)) > limit {
		body = body[:limit]
	}
	return body, err
}

// NewUID is the next uid.
func (s *Store) NewUID() model.UID { return s.w.NewUID() }

// Bound is what a verdict would bind to besides the texts.
func (s *Store) Bound(_ context.Context, op model.Name, uid model.UID) (map[string]string, error) {
	return binding.Bound(s.w, op, uid)
}

// StoreID names the store.
func (s *Store) StoreID() string { return s.w.StoreID() }

// SinceApproval compares what a task was accepted with with what is there now.
func (s *Store) SinceApproval(ctx context.Context, uid model.UID) (review.Approval, []binding.Compared, error) {
	return binding.SinceApproval(s.w, func(uid model.UID, d model.Doc, n int) (model.Content, error) { return s.Revision(ctx, uid, d, n) }, uid)
}
