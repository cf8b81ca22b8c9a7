package uitest

import (
	"context"

	"vespe/model"
)

// Journal implements ui.Journal: it always reads everything.
func (s *Store) Journal(ctx context.Context, was *model.Journal, progress func(done, total int)) (*model.Journal, error) {
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
	var all []*model.Chronicle
	for i := range snap.Len() {
		progress(i, snap.Len())
		events, _, err := s.History(ctx, snap.UID(i))
		if err != nil {
			return nil, err
		}
		all = append(all, model.NewChronicle(snap.UID(i), events))
	}
	if events, _, err := s.History(ctx, ""); err == nil && len(events) > 0 {
		all = append(all, model.NewChronicle("", events))
	}
	return model.NewJournal(snap.Seq(), all), nil
}
