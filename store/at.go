package store

import (
	"context"
	"time"

	"vespe/store/asof"
)

func (s *Store) past() *asof.Reader {
	return &asof.Reader{
		Disk: &s.disk, Log: &s.log, Table: &s.edits, Comparer: &s.comparer, StoreID: s.ID, View: s.projectedView,
		Content: s.Content, History: s.History, Policy: s.readPolicy, Milestones: s.readMilestones,
	}
}

// Past is the store as it was at an earlier time.
type Past = asof.Past

// At is the store as it was at a time: as of the last entry of the log that is not younger.
func (s *Store) At(ctx context.Context, when time.Time) (*asof.Past, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return s.past().At(ctx, when, head, now)
}

// AtSeq is the store as it was after an entry of the log.
func (s *Store) AtSeq(ctx context.Context, seq uint64) (*asof.Past, error) {
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return s.past().AtSeq(ctx, seq, now)
}

// AtNow is the store as it is: what was written past vespe and is not in the log yet counts.
func (s *Store) AtNow(ctx context.Context) (*asof.Past, error) {
	now, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return s.past().Present(now, s.now()), nil
}
