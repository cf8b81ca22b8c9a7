package documents

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"vespe/model"
	"vespe/model/decompose"
	"vespe/model/snapshot"
)

// PlanToDecompose is the text that lists the subtasks of a task: its accepted plan, or else today's; "" where it has none.
func (s *Reader) PlanToDecompose(ctx context.Context, t *model.Task) (string, error) {
	c, err := s.Content(ctx, t.UID, model.Plan)
	if err != nil && !errors.Is(err, model.ErrNoContent) {
		return "", err
	}
	if p := t.Status.AcceptedPlan; p != nil && p.PlanHash != c.Hash {
		if c, err = s.Revision(ctx, t.UID, model.Plan, p.PlanRevision); err != nil {
			return "", err
		}
	}
	return string(c.Body), nil
}

// Propose reads the tasks that a plan of a task lists (decompose.Propose). Which files are there is looked up in the project
// around the store.
func (s *Reader) Propose(snap *snapshot.Snapshot, t *model.Task, plan string) (*decompose.Proposal, error) {
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return decompose.Propose(snap, t, plan, nil)
	}
	defer root.Close()
	return decompose.Propose(snap, t, plan, func(p string) bool {
		info, err := root.Stat(filepath.FromSlash(p)) // a link that leads out of it is not there
		return err == nil && !info.IsDir()
	})
}

// Proposal is Propose for what PlanToDecompose returns.
func (s *Reader) Proposal(ctx context.Context, snap *snapshot.Snapshot, t *model.Task) (*decompose.Proposal, error) {
	plan, err := s.PlanToDecompose(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.Propose(snap, t, plan)
}
