package store

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/view"
)

// Content is today's bytes of a task's document, no matter who wrote them. Its Revision is that
// of the recorded revision with the same bytes, if it is the current one, and 0 for bytes
// that are no recorded revision. The error is model.ErrNoContent (errors.Is) when there is
// no such document.
func (s *Store) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	if err := view.CheckDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	v, err := s.view()
	if err != nil {
		return model.Content{}, err
	}
	var st model.StatusFile
	if b, err := v.ReadFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON); err == nil {
		st, _ = model.DecodeStatus(layout.Shown(layout.TaskFile(uid, layout.StatusFile)), b)
	} else if fsys.IsTransient(err) {
		return model.Content{}, err
	}
	of := view.CurrentOf(&st, doc)
	c, doubt, err := v.Content(uid, doc, of)
	if doubt != nil && fsys.IsTransient(doubt) {
		return c, doubt
	}
	if err == nil && c.Revision == 0 {
		// A new revision is written before the status that counts it.
		if name, _, rerr := v.Recorded(uid, doc, of.N+1, c.Hash); rerr == nil && name != "" {
			c.Revision = of.N + 1
		}
	}
	return c, err
}

// Revision is one recorded revision of a document, numbered from 1. errors.Is finds
// model.ErrNoContent, and a *model.Refusal with CodeNotFound, when it was not recorded.
func (s *Store) Revision(ctx context.Context, uid model.UID, doc model.Doc, n int) (model.Content, error) {
	if err := view.CheckDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	v, err := s.view()
	if err != nil {
		return model.Content{}, err
	}
	return v.Revision(uid, doc, n)
}

// content is a document under the lock. That it cannot be compared with its revision is an
// error: it would be taken for an edit. Not so where the revision's file is none of ours any
// more, but a link or far too large.
func (s *Store) content(uid model.UID, doc model.Doc, current view.Current) (model.Content, error) {
	c, doubt, err := s.projectedView().Content(uid, doc, current)
	if err == nil && doubt != nil && (!fsys.IsAboutFile(doubt) || errors.Is(doubt, fs.ErrPermission)) {
		err = doubt
	}
	return c, err
}

func (s *Store) revision(uid model.UID, doc model.Doc, n int) (model.Content, error) {
	return s.projectedView().Revision(uid, doc, n)
}

// AcceptedPlan are the bytes of the plan and the objective that a person accepted, by their hashes and
// whatever the files say today. objective is nil where there was none. errors.Is finds
// model.ErrNoContent where no plan is accepted, or its bytes are nowhere anymore.
func (s *Store) AcceptedPlan(ctx context.Context, uid model.UID) (plan, objective []byte, err error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, nil, err
	}
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil, failure.New(model.CodeNotFound, failure.GuardStore, nil, nil, "`vespe ls` lists the tasks", "there is no task %s", uid)
	}
	a := t.Status.AcceptedPlan
	if a == nil || a.PlanHash == "" {
		return nil, nil, failure.New(model.CodeRefused, failure.GuardStore, nil, model.ErrNoContent, "a person must accept its plan", "no plan of %s is accepted", uid)
	}
	v, err := s.view()
	if err != nil {
		return nil, nil, err
	}
	if plan, err = v.ByHash(uid, model.Plan, a.PlanRevision, a.PlanHash); err != nil {
		return nil, nil, err
	}
	if a.ObjectiveHash != "" {
		objective, err = v.ByHash(uid, model.Objective, a.ObjectiveRevision, a.ObjectiveHash)
	}
	return plan, objective, err
}

// RevisionPath is the path of the file of a recorded revision with a hash.
func (s *Store) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(s.projectedView().RevisionPath(uid, doc, n, hash)))
}
