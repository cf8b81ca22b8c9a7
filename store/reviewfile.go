package store

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/layout"
	"vespe/store/view"
)

// Review is what was said about a revision of a task's plan; 0 is the one that status.json
// speaks of. It is nil where nobody has said anything. A file that somebody else has written
// over, or removed, is not read: the log has what vespe wrote, and what status.json says of a
// verdict on it goes before what the file says. Only of what no entry of the log ever wrote, as
// in a clone, the file itself is believed.
func (s *Store) Review(ctx context.Context, uid model.UID, revision int) (*model.ReviewFile, error) {
	v, err := s.viewOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	return s.reviews.Of(ctx, v, uid, revision)
}

// ImportComments takes over what was written past vespe into a task's comments, so that a verdict is
// given on what is left of it. It is nil, and nothing happens, where nothing was.
func (s *Store) ImportComments(ctx context.Context, uid model.UID) (*snapshot.Applied, error) {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	if _, edited := s.reviews.Edited(uid, t.Status.Comments); !edited {
		return nil, nil
	}
	took, err := s.ImportEdits(ctx, []model.UID{uid})
	return &took, err
}

// ReviewFile is the bytes of the review file that a status.json speaks of: those of the file, or else those
// that the log has.
func (s *Store) ReviewFile(ctx context.Context, uid model.UID, known *model.CommentBook) ([]byte, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, err
	}
	return s.reviews.File(ctx, layout.ReviewFile(uid, known), known.Hash)
}

// ReviewFile is the bytes of the review file that a status.json speaks of.
func (w readView) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	return w.s.reviews.File(context.Background(), layout.ReviewFile(uid, known), known.Hash)
}

// Revision is a recorded revision of a document.
func (w readView) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	c, err := w.s.revision(uid, doc, n)
	return c.Body, err
}
