package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"vespe/model"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
)

// Content is today's bytes of a task's document, whoever wrote them. Its Revision is that
// of the recorded revision with the same bytes, if it is the current one, and 0 for bytes
// that are no recorded revision. The error is model.ErrNoContent (errors.Is) when there is
// no such document.
func (s *Store) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
	if err := s.checkDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	v, err := s.view()
	if err != nil {
		return model.Content{}, err
	}
	var st model.StatusFile
	if b, err := v.readFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON); err == nil {
		st, _ = model.DecodeStatus(layout.Shown(layout.TaskFile(uid, layout.StatusFile)), b)
	} else if fsys.IsTransient(err) {
		return model.Content{}, err
	}
	of := currentOf(&st, doc)
	c, doubt, err := v.content(uid, doc, of)
	if doubt != nil && fsys.IsTransient(doubt) {
		return c, doubt
	}
	if err == nil && c.Revision == 0 {
		// A new revision is written before the status that counts it.
		if name, _, rerr := v.recorded(uid, doc, of.n+1, c.Hash); rerr == nil && name != "" {
			c.Revision = of.n + 1
		}
	}
	return c, err
}

// Revision is one recorded revision of a document, numbered from 1. errors.Is finds
// model.ErrNoContent, and a *model.Refusal with CodeNotFound, when it was not recorded.
func (s *Store) Revision(ctx context.Context, uid model.UID, doc model.Doc, n int) (model.Content, error) {
	if err := s.checkDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	v, err := s.view()
	if err != nil {
		return model.Content{}, err
	}
	return v.revision(uid, doc, n)
}

func (s *Store) checkDoc(ctx context.Context, uid model.UID, doc model.Doc) error {
	if err := s.checkTask(ctx, uid); err != nil {
		return err
	}
	if doc != model.Objective && doc != model.Plan {
		return failure.New(model.CodeUsage, failure.GuardStore, nil, nil, "ask for the objective or the plan", "a task has no document %q", string(doc))
	}
	return nil
}

func (s *Store) checkTask(ctx context.Context, uid model.UID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !uid.Valid() {
		return failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "", "%q isn't the uid of a task", string(uid))
	}
	return nil
}

// current is the revision of a document that a status speaks of.
type current struct {
	n    int    // 0: none
	hash string // of its bytes, where they were accepted: its file may have been rewritten; else ""
}

func currentOf(st *model.StatusFile, doc model.Doc) current {
	c, a := current{n: st.PlanRevision}, st.AcceptedPlan
	if doc == model.Objective {
		c.n = st.ObjectiveRevision
	}
	switch {
	case a == nil:
	case doc == model.Objective && a.ObjectiveRevision == c.n:
		c.hash = a.ObjectiveHash
	case doc == model.Plan && a.PlanRevision == c.n:
		c.hash = a.PlanHash
	}
	return c
}

// content is a document under the lock. That it cannot be compared with its revision is an
// error: it would be taken for an edit. Not so where the revision's file is none of ours any
// more, but a link or far too large.
func (s *Store) content(uid model.UID, doc model.Doc, current current) (model.Content, error) {
	c, doubt, err := s.projectedView().content(uid, doc, current)
	if err == nil && doubt != nil && (!fsys.IsAboutFile(doubt) || errors.Is(doubt, fs.ErrPermission)) {
		err = doubt
	}
	return c, err
}

// content reads a document and compares it with its current revision. doubt is why that could
// not be done: it may be that revision or not.
func (v view) content(uid model.UID, doc model.Doc, current current) (c model.Content, doubt, err error) {
	b, err := v.readFile(layout.TaskFile(uid, layout.DocFile(doc)), layout.MaxDocument)
	if fsys.Missing(err) {
		return c, nil, model.ErrNoContent
	}
	if err != nil {
		return c, nil, fmt.Errorf("read the %s of %s: %w", doc, uid, err)
	}
	c = model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b)}
	if current.n > 0 && (current.hash == "" || current.hash == c.Hash) {
		switch name, _, err := v.recorded(uid, doc, current.n, c.Hash); {
		case err != nil:
			doubt = fmt.Errorf("read revision %d of the %s of %s: %w", current.n, doc, uid, err)
		case name != "":
			c.Revision = current.n
		}
	}
	return c, doubt, nil
}

func (s *Store) revision(uid model.UID, doc model.Doc, n int) (model.Content, error) {
	return s.projectedView().revision(uid, doc, n)
}

func (v view) revision(uid model.UID, doc model.Doc, n int) (model.Content, error) {
	var b []byte
	names, err := v.revisionNames(uid, doc, n)
	if err == nil && len(names) > 0 {
		b, err = v.readFile(layout.TaskFile(uid, names[0]), layout.MaxDocument)
	}
	if fsys.Missing(err) || err == nil && len(names) == 0 {
		return model.Content{}, failure.New(model.CodeNotFound, failure.GuardStore, nil, model.ErrNoContent, "`vespe history` lists them",
			"revision %d of the %s of %s is not recorded", n, doc, uid)
	}
	if err != nil {
		return model.Content{}, fmt.Errorf("read revision %d of the %s of %s: %w", n, doc, uid, err)
	}
	return model.Content{Doc: doc, Body: b, Hash: model.HashBytes(b), Revision: n}, nil
}
