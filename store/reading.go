package store

import (
	"context"
	"time"

	"vespe/model"
	"vespe/model/reflection"
	"vespe/model/snapshot"
	"vespe/store/asof"
	"vespe/store/history"
)

// Feed is what a part of the log says happened, Past the store as it was at an earlier time.
type (
	Feed = history.Feed
	Past = asof.Past
)

// Past reads the store as it was.
func (s *Store) Past() *asof.Reader {
	return &asof.Reader{
		Disk: &s.disk, Log: &s.log, Table: &s.edits, Comparer: &s.comparer, StoreID: s.ID, View: s.loader.Projected,
		Content: s.Content, History: s.History,
		Head: s.Head, Refresh: s.Refresh, Now: s.now,
	}
}

// Reflections are the lines of reflections/ since a time, the oldest first. Lines that are none, and files that
// cannot be read, are problems and hide no other.
func (s *Store) Reflections(ctx context.Context, since time.Time) ([]reflection.Line, []model.Problem, error) {
	return s.writer.Reflections.Read(ctx, since)
}

// Load reads the whole store. See loading.Loader. progress may be nil; it is called from one goroutine at a time.
func (s *Store) Load(ctx context.Context, progress func(done, total int)) (*snapshot.Snapshot, error) {
	return s.loader.Load(ctx, progress)
}

// Refresh is the snapshot as of the last entry of the log, without a look for what was edited past vespe.
func (s *Store) Refresh(ctx context.Context) (*snapshot.Snapshot, error) {
	return s.loader.Refresh(ctx)
}

// Freshen is the snapshot as of the last entry of the log in which the given tasks are what their files say now.
func (s *Store) Freshen(ctx context.Context, uids []model.UID) (*snapshot.Snapshot, error) {
	return s.loader.Freshen(ctx, uids)
}

// Warm is the store from its last checkpoint and the entries of the log since. false when there is no checkpoint that
// can be used: then only Load helps.
func (s *Store) Warm(ctx context.Context) (*snapshot.Snapshot, bool, error) {
	return s.loader.Warm(ctx)
}

// Partial is a snapshot of the tasks that the load under way has read so far; nil when nothing was read yet.
func (s *Store) Partial() *snapshot.Snapshot { return s.loader.Partial() }

// Head is the number of the last committed entry on disk; 0 in a new store. It costs a few stats.
func (s *Store) Head(ctx context.Context) (uint64, error) { return s.loader.Head(ctx) }

// Edited are the tasks whose files were found to be written past vespe, and not taken over
// yet, in uid order.
func (s *Store) Edited() []model.UID { return s.edits.Edited() }
