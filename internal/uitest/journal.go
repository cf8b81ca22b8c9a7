package uitest

import (
	"context"

	"vespe/model/history"
)

// Journal implements feed.Journal: it always reads everything.
func (s *Store) Journal(ctx context.Context, was *history.Journal, progress func(done, total int)) (*history.Journal, error) {
	if err := s.failing("Journal"); err != nil {
		return nil, err
	}
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	snap := s.Snapshot()
	if was != nil && was.Head() == snap.Seq() {
		return was, nil
	}
	var all []*history.Chronicle
	for i := range snap.Len() {
		progress(i, snap.Len())
		events, _, err := s.History(ctx, snap.UID(i))
		if err != nil {
			return nil, err
		}
		all = append(all, history.NewChronicle(snap.UID(i), events))
	}
	if events, _, err := s.History(ctx, ""); err == nil && len(events) > 0 {
		all = append(all, history.NewChronicle("", events))
	}
	return history.New(snap.Seq(), all), nil
}
