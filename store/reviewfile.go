package store

import (
	"context"
	"fmt"

	"vespe/model"
)

// Review is what was said about a revision of a task's plan; 0 is the one that status.json
// speaks of. It is nil where nobody has said anything. A file that somebody else has written
// over is not read: the log has what vespe wrote.
func (s *Store) Review(ctx context.Context, uid model.UID, revision int) (*model.ReviewFile, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	var known *model.CommentBook
	if revision == 0 {
		b, err := v.readFile(taskFile(uid, statusFile), maxJSON)
		if err != nil {
			return nil, removed(err)
		}
		st, _ := model.DecodeStatus(shown(taskFile(uid, statusFile)), b)
		if known = st.Comments; known == nil {
			return nil, nil
		}
		revision = known.Revision
	}
	name := reviewFile(uid, revision)
	var body []byte
	if known != nil {
		body, err = s.loggedReview(uid, revision, known.Hash)
	} else if body, err = v.readFile(name, maxJSON); missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := model.DecodeReviewFile(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(name), err)
	}
	return f, nil
}

func reviewFile(uid model.UID, revision int) string {
	return taskFile(uid, fmt.Sprintf("%s/plan-%04d.json", reviewsDir, revision))
}

// ReviewFile is the bytes of a review file that hash so: those of the file, or else those
// that the log has.
func (s *Store) ReviewFile(ctx context.Context, uid model.UID, revision int, hash string) ([]byte, error) {
	if err := s.checkTask(ctx, uid); err != nil {
		return nil, err
	}
	return s.loggedReview(uid, revision, hash)
}

// ReviewFile is the bytes of a review file that hash so.
func (w world) ReviewFile(uid model.UID, revision int, hash string) ([]byte, error) {
	return w.s.loggedReview(uid, revision, hash)
}

// Revision is a recorded revision of a document.
func (w world) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	c, err := w.s.revision(uid, doc, n)
	return c.Body, err
}

func (s *Store) loggedReview(uid model.UID, revision int, hash string) ([]byte, error) {
	name := reviewFile(uid, revision)
	if b, err := s.bytesOf(name, hash); b != nil || err != nil {
		return b, err
	}
	last, err := s.tail(0)
	if err != nil {
		return nil, err
	}
	for seq := last; seq > 0; seq-- {
		e, _, err := s.readEntry(seq)
		if err != nil {
			if isTransient(err) {
				return nil, err
			}
			break // what is older was folded into the log's base, which has the bytes as objects
		}
		for i := range e.Files {
			if f := &e.Files[i]; f.Path == name && f.Hash == hash {
				return s.bodyOf(f)
			}
		}
	}
	return nil, fmt.Errorf("%s is not what vespe wrote, and the log does not have that any more", shown(name))
}
