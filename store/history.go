package store

import (
	"context"
	"time"

	"vespe/model"
	"vespe/model/reflection"
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
		Disk: &s.disk, Log: &s.log, Table: &s.edits, Comparer: &s.comparer, StoreID: s.ID, View: s.projectedView,
		Content: s.Content, History: s.History, Policy: s.ReadPolicy, Milestones: s.ReadMilestones,
		Head: s.Head, Refresh: s.Refresh, Now: s.now,
	}
}

// Reflections are the lines of reflections/ since a time, the oldest first. Lines that are none, and files that
// cannot be read, are problems and hide no other.
func (s *Store) Reflections(ctx context.Context, since time.Time) ([]reflection.Line, []model.Problem, error) {
	return s.reflections.Read(ctx, since)
}
