package store

import (
	"context"
	"errors"
	"io/fs"

	"vespe/model"
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
