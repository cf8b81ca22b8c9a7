package uitest

import (
	"context"
	"errors"

	"vespe/model"
	"vespe/model/breakdown"
)

// Proposal implements ui.Plans: files that begin with "ui/" are there.
func (s *Store) Proposal(ctx context.Context, snap *model.Snapshot, t *model.Task) (*breakdown.Proposal, error) {
	c, err := s.Content(ctx, t.UID, model.Plan)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return nil, err
	}
	return breakdown.Propose(snap, t, string(c.Body), func(p string) bool { return len(p) > 3 && p[:3] == "ui/" })
}
