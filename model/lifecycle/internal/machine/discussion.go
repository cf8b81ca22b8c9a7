package machine

import (
	"errors"
	"fmt"
	"slices"

	"vespe/model"
)

// Discussion is the review file of a task's plan while an operation works on it.
type Discussion struct {
	File  *model.ReviewFile
	Book  model.CommentBook // what its counts are; exact as long as the file is known
	Blind bool              // this world has no bytes: only what the operation brings is in file
	Dirty bool
}

// Discussion is the comments on a task's plan as they are now; without any it is empty.
func (x *Tx) Discussion(t *model.Task) (*Discussion, *model.Refusal) {
	if d, ok := x.Talks[t.UID]; ok {
		return d, nil
	}
	d := &Discussion{File: &model.ReviewFile{Revision: t.Status.PlanRevision}}
	d.File.SetVerdict(t.Status.Review)
	if b := t.Status.Comments; b != nil {
		d.Book = *b
		d.File.Revision = b.Revision
		body, err := x.ReviewFile(t.UID, b)
		switch {
		case errors.Is(err, model.ErrNoContent):
			d.Blind = true
		case err == nil:
			if d.File, err = model.DecodeReviewFile(body); err == nil {
				d.Book = *d.File.Counted(b.Hash)
				d.Book.File, d.Book.Extra = b.File, b.Extra
				break
			}
			fallthrough
		default:
			return nil, x.refuseReview(t, b.Name(), err)
		}
	}
	if x.Talks == nil {
		x.Talks = map[model.UID]*Discussion{}
	}
	x.Talks[t.UID] = d
	return d, nil
}

// ReviewFile is the bytes of a review file. model.ErrNoContent: this world has none.
func (x *Tx) ReviewFile(uid model.UID, b *model.CommentBook) ([]byte, error) {
	if w, ok := x.World.(model.Reviewed); ok {
		return w.ReviewFile(uid, b)
	}
	return nil, model.ErrNoContent
}

func (x *Tx) refuseReview(t *model.Task, name string, err error) *model.Refusal {
	return &model.Refusal{
		Code: model.CodeRefused, Op: x.Op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardReadable,
		Why:  fmt.Sprintf("can't read the comments in %s: %v", model.ReviewPath(t.UID, name), err),
		Hint: "restore the file from git or a backup; `vespe store doctor` lists all problems",
	}
}

// Add puts a comment into the discussion.
func (d *Discussion) Add(c model.Comment) {
	d.File.Comments = append(d.File.Comments, c)
	d.Book.Count(&c, 1)
	d.Dirty = true
}

// Settle gives a comment another state.
func (d *Discussion) Settle(c *model.Comment, r model.Reply) {
	d.Book.Count(c, -1)
	c.State = r.State
	c.Replies = append(c.Replies, r)
	d.Book.Count(c, 1)
	d.Dirty = true
}

// SaveDiscussions writes the review files that the operation changed, and what status.json
// says about them.
func (x *Tx) SaveDiscussions() {
	for _, uid := range slices.Clone(x.Order) {
		d, ok := x.Talks[uid]
		if !ok || !d.Dirty {
			continue
		}
		d.Dirty = false
		b := d.Book
		if b.Revision != d.File.Revision || b.File == "" && b.Hash == "" {
			b.File = model.ReviewName(d.File.Revision, d.File.PlanHash)
		}
		b.Revision, b.Hash = d.File.Revision, ""
		if !d.Blind {
			body := model.EncodeReviewFile(d.File)
			b.Hash = model.HashBytes(body)
			x.Write(model.ReviewPath(uid, b.Name()), body, false)
		}
		t := x.Note(uid)
		t.Status.Comments = nil
		if d.Blind || len(d.File.Comments) > 0 {
			t.Status.Comments = &b
		}
	}
}

// NewRevision counts a document's revisions up and keeps body as the newest.
func (x *Tx) NewRevision(t *model.Task, d model.Doc, body []byte) int {
	n := &t.Status.PlanRevision
	if d == model.Objective {
		n = &t.Status.ObjectiveRevision
		t.HasObjective = true
	} else {
		t.HasPlan = true
	}
	*n = x.NextRevision(t, d)
	x.Write(model.RevisionPath(t.UID, d, *n, model.HashBytes(body)), body, true)
	return *n
}

// NextRevision is the number that the next revision of a document gets.
func (x *Tx) NextRevision(t *model.Task, d model.Doc) int {
	return max(t.Status.RevisionOf(d), x.Staged.LastRevision(t.UID, d)) + 1
}
