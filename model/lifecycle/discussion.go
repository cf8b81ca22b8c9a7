package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"vespe/model"
)

// discussion is the review file of a task's plan while an operation works on it.
type discussion struct {
	file  *model.ReviewFile
	book  model.CommentBook // what its counts are; exact as long as the file is known
	blind bool              // this world has no bytes: only what the operation brings is in file
	dirty bool
}

// discussion is the comments on a task's plan as they are now; without any it is empty.
func (x *tx) discussion(t *model.Task) (*discussion, *model.Refusal) {
	if d, ok := x.talks[t.UID]; ok {
		return d, nil
	}
	d := &discussion{file: &model.ReviewFile{Revision: t.Status.PlanRevision}}
	d.file.SetVerdict(t.Status.Review)
	if b := t.Status.Comments; b != nil {
		d.book = *b
		d.file.Revision = b.Revision
		body, err := x.reviewFile(t.UID, b)
		switch {
		case errors.Is(err, model.ErrNoContent):
			d.blind = true
		case err == nil:
			if d.file, err = model.DecodeReviewFile(body); err == nil {
				d.book = *d.file.Counted(b.Hash)
				d.book.File, d.book.Extra = b.File, b.Extra
				break
			}
			fallthrough
		default:
			return nil, x.refuseReview(t, b.Name(), err)
		}
	}
	if x.talks == nil {
		x.talks = map[model.UID]*discussion{}
	}
	x.talks[t.UID] = d
	return d, nil
}

func (x *tx) reviewFile(uid model.UID, b *model.CommentBook) ([]byte, error) {
	if w, ok := x.w.(model.Reviewed); ok {
		return w.ReviewFile(uid, b)
	}
	return nil, model.ErrNoContent
}

func (x *tx) refuseReview(t *model.Task, name string, err error) *model.Refusal {
	return &model.Refusal{
		Code: model.CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why:  fmt.Sprintf("can't read the comments in %s: %v", reviewPath(t.UID, name), err),
		Hint: "restore the file from git or a backup; `vespe store doctor` lists all problems",
	}
}

// add puts a comment into the discussion.
func (d *discussion) add(c model.Comment) {
	d.file.Comments = append(d.file.Comments, c)
	d.book.Count(&c, 1)
	d.dirty = true
}

// settle gives a comment another state.
func (d *discussion) settle(c *model.Comment, r model.Reply) {
	d.book.Count(c, -1)
	c.State = r.State
	c.Replies = append(c.Replies, r)
	d.book.Count(c, 1)
	d.dirty = true
}

// newID is an id that no comment of the discussion has. It comes from the operation's own, so
// that two clones hardly ever give the same.
func (d *discussion) newID(op string, n int) string {
	whole := commentID(op, n)
	for k := shortComment; ; k += 2 {
		if id := whole[:k]; d.file.Find(id) == nil || k+2 > len(whole) {
			return id
		}
	}
}

// saveDiscussions writes the review files that the operation changed, and what status.json
// says about them.
func (x *tx) saveDiscussions() {
	for _, uid := range slices.Clone(x.order) {
		d, ok := x.talks[uid]
		if !ok || !d.dirty {
			continue
		}
		d.dirty = false
		b := d.book
		if b.Revision != d.file.Revision || b.File == "" && b.Hash == "" {
			b.File = model.ReviewName(d.file.Revision, d.file.PlanHash)
		}
		b.Revision, b.Hash = d.file.Revision, ""
		if !d.blind {
			body := model.EncodeReviewFile(d.file)
			b.Hash = model.HashBytes(body)
			x.write(reviewPath(uid, b.Name()), body, false)
		}
		t := x.note(uid)
		t.Status.Comments = nil
		if d.blind || len(d.file.Comments) > 0 {
			t.Status.Comments = &b
		}
	}
}

const shortComment = len("c") + 6

func commentID(op string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", op, n))
	return "c" + hex.EncodeToString(sum[:])
}

// CommentID is the id of the nth comment, from 0, that an operation with an id makes in a
// discussion that has none yet.
func CommentID(op string, n int) string { return commentID(op, n)[:shortComment] }
