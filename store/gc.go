package store

import (
	"context"
	"errors"
	"time"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/gc"
	"vespe/store/txlog"
)

const (
	gcLeast = 100 // entries that are always kept
)

// DefaultKeep is how long the log keeps entries when nobody says otherwise.
const DefaultKeep = 90 * 24 * time.Hour

// GCOptions say what GC may take away, GCReport what it did.
type (
	GCOptions = gc.Options
	GCReport  = gc.Report
)

// GC compacts the log: old entries are replaced by a base, which knows the operations in
// them and what each file was last made. Bodies that only they had are gone then, and
// nothing can be looked up as it was before the base. It may be interrupted at any point
// and be repeated; readers that miss an entry read the tasks' files instead.
func (s *Store) GC(ctx context.Context, o GCOptions) (GCReport, error) {
	if err := s.writable(nil); err != nil {
		return GCReport{}, err
	}
	release, err := s.writer.Alone(ctx)
	if err != nil {
		return GCReport{}, err
	}
	defer release()
	g := s.collector
	r, err := g.Run(ctx, o)
	if err != nil {
		err = gcFailed(err)
	}
	return r, err
}

// keepPast writes down how the store was after the last entry of a base.
func (s *Store) keepPast(ctx context.Context, b txlog.Base) error {
	now, err := s.Refresh(ctx)
	if err != nil {
		return err
	}
	return s.Past().Keep(ctx, b, now)
}

// checkpointBefore writes a checkpoint where the last one would need an entry that is to go: without it the next to
// come would read every file.
func (s *Store) checkpointBefore(ctx context.Context, through uint64) {
	if o, _ := s.checkpoints.Find(); o != nil && o.Seq <= through {
		if _, err := s.Refresh(ctx); err == nil {
			_ = s.checkpoints.Write(ctx) // derived
		}
	}
}

func gcFailed(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return failure.New(model.CodeRefused, failure.GuardStore, nil, err, "run `vespe store doctor`; no task was changed, and it can be repeated", "the log could not be compacted")
}
