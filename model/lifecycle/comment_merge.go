package lifecycle

import (
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// takeComments joins the comments that a status.json written past vespe speaks of, those of
// another clone for one, with those that vespe knows. Comments and answers are taken over;
// that a person has settled a comment that blocks is a verdict, which nobody gives but to
// vespe. refused says so.
func takeComments(s *machine.Step, t *model.Task, was *model.Task, now *model.CommentBook) (refused []string, r *model.Refusal) {
	if was == nil || sameBook(was.Status.Comments, now) && s.Talks[t.UID] == nil {
		return nil, nil
	}
	if was.Status.Comments == nil && was.Config.UID == "" {
		return nil, nil // it came as a whole, and all there is to know of it is what it says
	}
	t.Status.Comments = was.Status.Comments
	d, r := s.Discussion(t)
	if r != nil {
		return nil, r
	}
	theirs := commentsOf(s, t.UID, now)
	if theirs == nil {
		if now == nil && len(d.File.Comments) > 0 || now != nil && !sameBook(was.Status.Comments, now) {
			refused = append(refused, "a change to its comments")
		}
		d.Dirty = d.Dirty || len(d.File.Comments) > 0
		return refused, nil
	}
	plan, _, r := s.Doc(t, model.Plan)
	if r != nil {
		return nil, r
	}
	if d.File.Revision < theirs.Revision && theirs.Revision == t.Status.PlanRevision {
		if len(d.File.Comments) == 0 {
			d.File = &model.ReviewFile{Revision: theirs.Revision, PlanHash: theirs.PlanHash}
		} else if r := carryComments(s.Tx, t, theirs.Revision, nil, plan.Body); r != nil {
			return nil, r
		}
	}
	if d.File.PlanHash == "" && d.File.Revision == theirs.Revision {
		d.File.PlanHash = theirs.PlanHash
	}
	if join(d, theirs) {
		refused = append(refused, "the resolution of a blocking comment")
	}
	d.Dirty = true
	return refused, nil
}

func sameBook(a, b *model.CommentBook) bool {
	return a == b || a != nil && b != nil && a.Hash == b.Hash && a.Name() == b.Name()
}

// commentsOf is the review file that status.json speaks of; nil where there is none that is
// what it says.
func commentsOf(s *machine.Step, uid model.UID, b *model.CommentBook) *model.ReviewFile {
	if b == nil {
		return nil
	}
	body, err := s.ReviewFile(uid, b)
	if err != nil {
		return nil
	}
	f, err := model.DecodeReviewFile(body)
	if err != nil {
		return nil
	}
	return f
}

// byFiles is a comment that is not known from vespe, nor any answer to it.
func byFiles(c model.Comment) model.Comment {
	c.Via, c.Replies = model.ViaFiles, slices.Clone(c.Replies)
	for i := range c.Replies {
		c.Replies[i].Via = model.ViaFiles
	}
	return c
}

func sameReply(a, b model.Reply) bool {
	a.Via, b.Via = "", ""
	return a == b
}

// JoinReviews is a review file that somebody else wrote as it counts beside the one that vespe wrote;
// ours is nil where there was none.
func JoinReviews(ours, theirs *model.ReviewFile) *model.ReviewFile {
	d := machine.Discussion{File: &model.ReviewFile{Revision: theirs.Revision, PlanHash: theirs.PlanHash, ObjectiveHash: theirs.ObjectiveHash}}
	if ours != nil {
		d.File = ours
	}
	join(&d, theirs)
	return d.File
}

// join adds comments and answers that the discussion does not have. lost reports that it
// disbelieved something.
func join(d *machine.Discussion, theirs *model.ReviewFile) (lost bool) {
	for _, c := range theirs.Comments {
		ours := d.File.Find(c.ID)
		if ours == nil {
			d.Add(byFiles(c))
			continue
		}
		if len(c.Replies) <= len(ours.Replies) || !slices.EqualFunc(c.Replies[:len(ours.Replies)], ours.Replies, sameReply) {
			continue
		}
		for _, r := range c.Replies[len(ours.Replies):] {
			if ours.Blocking && r.State == model.CommentResolved {
				lost = true
				break
			}
			r.Via = model.ViaFiles
			d.Settle(ours, r)
		}
	}
	return lost
}
