// Package documents reads what there is of a task beside its state: documents and their revisions, approvals, reviews,
// results and history, and compares them with what was accepted. It writes nothing. Start with Reader.
package documents

import (
	"context"
	"path/filepath"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/failure"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/reviews"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Reader reads what there is of tasks. It is safe for concurrent use.
type Reader struct {
	root      string
	disk      *durable.Files
	log       *txlog.Log
	reviews   *reviews.Reader
	comparer  *edits.Comparer
	view      func() (view.View, error)
	projected func() view.View
	refresh   func(ctx context.Context) (*snapshot.Snapshot, error)
}

// Source is where a Reader gets at a store.
type Source struct {
	Root      string
	Disk      *durable.Files
	Log       *txlog.Log
	Reviews   *reviews.Reader
	Comparer  *edits.Comparer
	View      func() (view.View, error) // of what is there now
	Projected func() view.View          // where every entry is projected
	Refresh   func(ctx context.Context) (*snapshot.Snapshot, error)
}

// New is a reader of a store.
func New(of Source) *Reader {
	return &Reader{of.Root, of.Disk, of.Log, of.Reviews, of.Comparer, of.View, of.Projected, of.Refresh}
}

// Content is today's bytes of a task's document, no matter who wrote them. Its Revision is that
// of the recorded revision with the same bytes, if it is the current one, and 0 for bytes
// that are no recorded revision. The error is model.ErrNoContent (errors.Is) when there is
// no such document.
func (s *Reader) Content(ctx context.Context, uid model.UID, doc model.Doc) (model.Content, error) {
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
func (s *Reader) Revision(ctx context.Context, uid model.UID, doc model.Doc, n int) (model.Content, error) {
	if err := view.CheckDoc(ctx, uid, doc); err != nil {
		return model.Content{}, err
	}
	v, err := s.view()
	if err != nil {
		return model.Content{}, err
	}
	return v.Revision(uid, doc, n)
}

// AcceptedPlan are the bytes of the plan and the objective that a person accepted, by their hashes and
// whatever the files say today. objective is nil where there was none. errors.Is finds
// model.ErrNoContent where no plan is accepted, or its bytes are nowhere anymore.
func (s *Reader) AcceptedPlan(ctx context.Context, uid model.UID) (plan, objective []byte, err error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, nil, err
	}
	snap, err := s.refresh(ctx)
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
func (s *Reader) RevisionPath(uid model.UID, doc model.Doc, n int, hash string) string {
	return filepath.Join(s.root, layout.Name, filepath.FromSlash(s.projected().RevisionPath(uid, doc, n, hash)))
}

// ApprovalFile is a file under approvals/ as it is now; model.ErrNoContent when there is none.
func (s *Reader) ApprovalFile(ctx context.Context, uid model.UID, name string) ([]byte, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return v.ApprovalFile(uid, name)
}

// Results lists the files under a task's result/, with their hashes, in path
// order. Anything in there that is not a plain file or directory is an error: a hash over
// part of a result would say that nothing changed.
func (s *Reader) Results(ctx context.Context, uid model.UID) ([]model.ResultFile, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return v.Results(uid)
}

// ReadResult reads a file under result/; path is relative to it. A file larger than limit
// bytes is a *TooLargeError; errors.Is finds model.ErrNoContent when there is none.
func (s *Reader) ReadResult(ctx context.Context, uid model.UID, path string, limit int64) ([]byte, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return v.ReadResult(uid, path, limit)
}

// Review is what was said about a revision of a task's plan; 0 is the one that status.json
// speaks of. It is nil where nobody has said anything. A file that somebody else has written
// over, or removed, is not read: the log has what vespe wrote, and what status.json says of a
// verdict on it goes before what the file says. Only of what no entry of the log ever wrote, as
// in a clone, the file itself is believed.
func (s *Reader) Review(ctx context.Context, uid model.UID, revision int) (*model.ReviewFile, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return s.reviews.Of(ctx, v, uid, revision)
}

// ReviewFile is the bytes of the review file that a status.json speaks of: those of the file, or else those
// that the log has.
func (s *Reader) ReviewFile(ctx context.Context, uid model.UID, known *model.CommentBook) ([]byte, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, err
	}
	return s.reviews.File(ctx, layout.ReviewFile(uid, known), known.Hash)
}

// viewOf is view for who asks about one task.
func (s *Reader) viewOf(ctx context.Context, uid model.UID) (view.View, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return view.View{}, err
	}
	return s.view()
}
