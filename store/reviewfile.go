package store

import (
	"context"
	"errors"
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store/durable"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
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
	b, err := v.ReadFile(layout.TaskFile(uid, layout.StatusFile), layout.MaxJSON)
	if err != nil {
		return nil, durable.IgnoreMissing(err)
	}
	st, _ := model.DecodeStatus(layout.Shown(layout.TaskFile(uid, layout.StatusFile)), b)
	if revision == 0 {
		if st.Comments == nil {
			return nil, nil
		}
		revision = st.Comments.Revision
	}
	body, err := s.reviewBytes(ctx, v, uid, revision, st.Comments)
	if errors.Is(err, errOtherReview) && len(st.UnmergedOps) > 0 {
		return nil, &model.Refusal{
			Code: model.CodeConflict, UID: uid, Guard: "merge",
			Why: "git merged the changes of two clones to this task, but vespe hasn't yet", Hint: "run `vespe store merge --continue`",
		}
	}
	if body == nil || err != nil {
		return nil, err
	}
	f, err := model.DecodeReviewFile(body)
	if err != nil {
		return nil, fmt.Errorf("read the review of revision %d of the plan of %s: %w", revision, uid, err)
	}
	if f, err = s.joined(ctx, uid, f, st.Comments); err != nil {
		return nil, err
	}
	f.Judge(&st)
	return f, nil
}

// joined is a review file as it counts: where a status.json that was written past vespe speaks of one
// that vespe did not write, what is new in it is marked, and the rest is as vespe wrote it.
func (s *Store) joined(ctx context.Context, uid model.UID, theirs *model.ReviewFile, now *model.CommentBook) (*model.ReviewFile, error) {
	was, edited := s.editedComments(uid, now)
	if !edited || theirs.Revision != now.Revision {
		return theirs, nil
	}
	if was == nil || was.Revision != now.Revision {
		return lifecycle.JoinReviews(nil, theirs), nil
	}
	body, err := s.loggedReview(ctx, layout.ReviewFile(uid, was), was.Hash)
	if err != nil {
		return nil, err
	}
	ours, err := model.DecodeReviewFile(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", layout.Shown(layout.ReviewFile(uid, was)), err)
	}
	return lifecycle.JoinReviews(ours, theirs), nil
}

// editedComments is what the log knows of the comments on a task's plan, where its status.json was
// written past vespe and says otherwise.
func (s *Store) editedComments(uid model.UID, now *model.CommentBook) (was *model.CommentBook, edited bool) {
	e, ok := s.edits.Of(uid)
	if !ok || taskfiles.IsBlank(e.Was) {
		return nil, false
	}
	was = e.Was.Status.Comments
	if was == nil || now == nil {
		return was, was != now
	}
	return was, was.Hash != now.Hash || was.Revision != now.Revision
}

// ImportComments takes over what was written past vespe into a task's comments, so that a verdict is
// given on what is left of it. It is nil, and nothing happens, where nothing was.
func (s *Store) ImportComments(ctx context.Context, uid model.UID) (*model.Applied, error) {
	snap, err := s.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	t, ok := snap.Task(uid)
	if !ok {
		return nil, nil
	}
	if _, edited := s.editedComments(uid, t.Status.Comments); !edited {
		return nil, nil
	}
	took, err := s.ImportEdits(ctx, []model.UID{uid})
	return &took, err
}

// reviewBytes are the bytes of the review of a revision, as vespe wrote it; nil for none.
func (s *Store) reviewBytes(ctx context.Context, v view.View, uid model.UID, revision int, known *model.CommentBook) ([]byte, error) {
	if known != nil && known.Revision == revision {
		return s.loggedReview(ctx, layout.ReviewFile(uid, known), known.Hash)
	}
	names, err := v.ReviewNames(uid, revision)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		hash, logged, err := s.reviewHash(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case logged && hash == "":
			continue
		case logged:
			return s.loggedReview(ctx, name, hash)
		}
		if body, err := v.ReadFile(name, layout.MaxJSON); !fsys.Missing(err) {
			return body, err
		}
	}
	return nil, nil
}

// reviewHash is the hash of the review of a revision that the log wrote last. logged is false where the
// log does not reach back to the beginning of the revision, and has none: then it cannot tell.
func (s *Store) reviewHash(ctx context.Context, name string) (hash string, logged bool, err error) {
	last, err := s.log.Tail(0)
	if err != nil {
		return "", false, err
	}
	im, sure, err := s.reviews.Find(ctx, name, last)
	if err != nil {
		return "", false, err
	}
	floor, err := s.log.Floor(false)
	switch {
	case err != nil:
		return "", false, err
	case im.Seq > 0 && !im.Edited:
		return im.Hash(), true, nil
	case im.Seq == 0 && sure:
		if floor > 0 {
			if hash, err = s.reviewInBase(name); hash != "" || err != nil {
				return hash, hash != "", err
			}
		}
		if _, err := s.fs.Stat(name); fsys.Missing(err) {
			return "", false, nil // nor is there anything else that could be read
		}
	}
	return s.findReview(ctx, name, last)
}

// findReview looks for it through the log, the newest entry first.
func (s *Store) findReview(ctx context.Context, name string, last uint64) (hash string, logged bool, err error) {
	begins := begins(name)
	dir, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return "", false, err
	}
	defer dir.Close()
	var edited string // written past vespe, and taken over
	for seq, err := range s.log.EntriesWith(ctx, dir, last, `"`+name+`"`, `"`+begins+`"`) {
		if err != nil {
			return "", false, err
		}
		began := false
		_, err := txlog.ScanEntry(ctx, dir, seq, func(f txlog.ScannedFile) {
			switch {
			case f.Path == name && !f.Edited:
				hash = f.Hash
			case f.Path == name && edited == "":
				edited = f.Hash
			case f.Path == begins && !f.Edited:
				began = true
			}
		})
		switch {
		case fsys.Missing(err) && s.log.WasCompacted(seq):
			if hash, err = s.reviewInBase(name); hash == "" {
				hash = edited
			}
			return hash, hash != "", err
		case err != nil && (fsys.IsTransient(err) || ctx.Err() != nil):
			return "", false, err
		case err != nil:
			return edited, edited != "", nil //nolint:nilerr // Doctor says so
		case hash != "":
			return hash, true, nil
		case began:
			return edited, true, nil
		}
	}
	return edited, edited != "", nil
}

// reviewInBase is the hash of a file that the log's base has; "" for none.
func (s *Store) reviewInBase(name string) (hash string, err error) {
	b, err := s.log.OpenBase()
	if err != nil {
		var damage *txlog.BaseError
		if errors.As(err, &damage) {
			return "", nil // Doctor says so
		}
		return "", err
	}
	err = b.Paths.Each(func(path string, im txlog.LastImage) {
		if path == name {
			hash = im.Hash
		}
	})
	return hash, err
}

// ReviewFile is the bytes of the review file that a status.json speaks of: those of the file, or else those
// that the log has.
func (s *Store) ReviewFile(ctx context.Context, uid model.UID, known *model.CommentBook) ([]byte, error) {
	if err := view.CheckTask(ctx, uid); err != nil {
		return nil, err
	}
	return s.loggedReview(ctx, layout.ReviewFile(uid, known), known.Hash)
}

// ReviewFile is the bytes of the review file that a status.json speaks of.
func (w readView) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	return w.s.loggedReview(context.Background(), layout.ReviewFile(uid, known), known.Hash)
}

// Revision is a recorded revision of a document.
func (w readView) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	c, err := w.s.revision(uid, doc, n)
	return c.Body, err
}

func (s *Store) loggedReview(ctx context.Context, name, hash string) ([]byte, error) {
	if b, err := taskfiles.Bytes(&s.disk, name, hash); b != nil || err != nil {
		return b, err
	}
	last, err := s.log.Tail(0)
	if err != nil {
		return nil, err
	}
	if im, _, err := s.reviews.Find(ctx, name, last); err == nil && im.Hash() == hash {
		if b, is, err := s.bodyIn(im.Seq, name, hash); is {
			return b, err
		}
	}
	dir, err := s.fs.OpenDir(layout.LogDir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	for seq, err := range s.log.EntriesWith(ctx, dir, last, `"`+name+`"`) {
		if err != nil {
			return nil, err
		}
		b, is, err := s.bodyIn(seq, name, hash)
		if is {
			return b, err
		}
		if err != nil {
			if fsys.IsWithheld(err) {
				return nil, err
			}
			break // what is older was folded into the log's base, which has the bytes as objects
		}
	}
	if _, err := s.disk.Hash(name); err != nil {
		return nil, fmt.Errorf("%s: %w", layout.Shown(name), err)
	}
	return nil, fmt.Errorf("%s %w", layout.Shown(name), errOtherReview)
}

// errOtherReview says that a review file was read and is not the expected one.
var errOtherReview = errors.New("isn't what vespe wrote, and the log no longer has the original")

// bodyIn is what an entry wrote to a file; is says that it did, and that it hashes so.
func (s *Store) bodyIn(seq uint64, name, hash string) (body []byte, is bool, err error) {
	e, _, err := s.log.ReadEntry(seq)
	if err != nil {
		return nil, false, err
	}
	for i := range e.Files {
		if f := &e.Files[i]; f.Path == name && f.Hash == hash {
			body, err = s.log.BodyOf(f)
			return body, true, err
		}
	}
	return nil, false, nil
}
