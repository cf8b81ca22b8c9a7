package uitest

import (
	"context"
	"errors"

	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/snapshot"
)

// Proposal implements ui.Plans: files that begin with "ui/" are there.
func (s *Store) Proposal(ctx context.Context, snap *snapshot.Snapshot, t *model.Task) (*decompose.Proposal, error) {
	c, err := s.Content(ctx, t.UID, model.Plan)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return nil, err
	}
	return decompose.Propose(snap, t, string(c.Body), func(p string) bool { return len(p) > 3 && p[:3] == "ui/" })
}
