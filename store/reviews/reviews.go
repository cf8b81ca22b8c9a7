// Package reviews reads what was said about plans, as vespe wrote it.
//
// A file that somebody else has written over, or removed, is not read: the log has what vespe wrote. Only of what no
// entry of the log ever wrote, as in a clone, the file itself is believed.
package reviews

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/store/durable"
	"vespe/store/edits"
	"vespe/store/fsys"
	"vespe/store/layout"
	"vespe/store/opindex"
	"vespe/store/taskfiles"
	"vespe/store/txlog"
	"vespe/store/view"
)

// Reader reads review files. It is safe for concurrent use.
type Reader struct {
	Disk  *durable.Files
	Log   *txlog.Log
	Edits *edits.Table
	Ops   *opindex.Index
}

// Of is what was said about a revision of a task's plan; 0 is the one that status.json speaks of. What status.json says of
// a verdict goes before what the file says. It is nil where nobody has said anything.
func (r *Reader) Of(ctx context.Context, v view.View, uid model.UID, revision int) (*model.ReviewFile, error) {
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
	body, err := r.bytesOf(ctx, v, uid, revision, st.Comments)
	if errors.Is(err, errOther) && len(st.UnmergedOps) > 0 {
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
	if f, err = r.joined(ctx, uid, f, st.Comments); err != nil {
		return nil, err
	}
	f.Judge(&st)
	return f, nil
}

// joined is a review file as it counts: where a status.json that was written past vespe speaks of one
// that vespe did not write, what is new in it is marked, and the rest is as vespe wrote it.
func (r *Reader) joined(ctx context.Context, uid model.UID, theirs *model.ReviewFile, now *model.CommentBook) (*model.ReviewFile, error) {
	was, edited := r.Edited(uid, now)
	if !edited || theirs.Revision != now.Revision {
		return theirs, nil
	}
	if was == nil || was.Revision != now.Revision {
		return lifecycle.JoinReviews(nil, theirs), nil
	}
	body, err := r.File(ctx, layout.ReviewFile(uid, was), was.Hash)
	if err != nil {
		return nil, err
	}
	ours, err := model.DecodeReviewFile(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", layout.Shown(layout.ReviewFile(uid, was)), err)
	}
	return lifecycle.JoinReviews(ours, theirs), nil
}

// Edited is what the log knows of the comments on a task's plan, where its status.json was
// written past vespe and says otherwise.
func (r *Reader) Edited(uid model.UID, now *model.CommentBook) (was *model.CommentBook, edited bool) {
	e, ok := r.Edits.Of(uid)
	if !ok || taskfiles.IsBlank(e.Was) {
		return nil, false
	}
	was = e.Was.Status.Comments
	if was == nil || now == nil {
		return was, was != now
	}
	return was, was.Hash != now.Hash || was.Revision != now.Revision
}

// bytesOf are the bytes of the review of a revision, as vespe wrote it; nil for none.
func (r *Reader) bytesOf(ctx context.Context, v view.View, uid model.UID, revision int, known *model.CommentBook) ([]byte, error) {
	if known != nil && known.Revision == revision {
		return r.File(ctx, layout.ReviewFile(uid, known), known.Hash)
	}
	names, err := v.ReviewNames(uid, revision)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		hash, logged, err := r.Hash(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case logged && hash == "":
			continue
		case logged:
			return r.File(ctx, name, hash)
		}
		if body, err := v.ReadFile(name, layout.MaxJSON); !fsys.Missing(err) {
			return body, err
		}
	}
	return nil, nil
}

// Hash is the hash of the review of a revision that the log wrote last. logged is false where the
// log does not reach back to the beginning of the revision, and has none: then it cannot tell.
func (r *Reader) Hash(ctx context.Context, name string) (hash string, logged bool, err error) {
	begins := begins(name)
	uid, _, _ := layout.TaskOf(name)
	seqs, err := r.Ops.EntriesOf(ctx, uid)
	if err != nil || len(seqs) == 0 {
		return "", false, err
	}
	dir, err := r.Disk.FS.OpenDir(layout.LogDir)
	if err != nil {
		return "", false, err
	}
	defer dir.Close()
	var edited string // written past vespe, and taken over
	for _, seq := range slices.Backward(seqs) {
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

// File is the bytes of a review file with a hash: those of the file, or else those that the log has.
func (r *Reader) File(ctx context.Context, name, hash string) ([]byte, error) {
	if b, err := taskfiles.Bytes(r.Disk, name, hash); b != nil || err != nil {
		return b, err
	}
	uid, _, _ := layout.TaskOf(name)
	seqs, err := r.Ops.EntriesOf(ctx, uid)
	if err != nil {
		return nil, err
	}
	for _, seq := range slices.Backward(seqs) {
		b, is, err := r.bodyIn(seq, name, hash)
		if is {
			return b, err
		}
		if err != nil {
			if fsys.IsWithheld(err) {
				return nil, err
			}
			break // Doctor says so
		}
	}
	if _, err := r.Disk.Hash(name); err != nil {
		return nil, fmt.Errorf("%s: %w", layout.Shown(name), err)
	}
	return nil, fmt.Errorf("%s %w", layout.Shown(name), errOther)
}

// errOther says that a review file was read and is not the expected one.
var errOther = errors.New("isn't what vespe wrote, and the log no longer has the original")

// bodyIn is what an entry wrote to a file; is says that it did, and that it hashes so.
func (r *Reader) bodyIn(seq uint64, name, hash string) (body []byte, is bool, err error) {
	e, _, err := r.Log.ReadEntry(seq)
	if err != nil {
		return nil, false, err
	}
	for i := range e.Files {
		if f := &e.Files[i]; f.Path == name && f.Hash == hash {
			body, err = r.Log.BodyOf(f)
			return body, true, err
		}
	}
	return nil, false, nil
}

// begins is the file of the revision that a review is about.
func begins(review string) string {
	uid, rest, _ := layout.TaskOf(review)
	return layout.TaskFile(uid, layout.RevisionsDir+"/"+strings.TrimSuffix(path.Base(rest), ".json")+".md")
}
