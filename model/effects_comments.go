package model

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model/anchor"
)

// Reviewed is what a World may know besides: review files as vespe wrote them, and earlier
// revisions of documents.
type Reviewed interface {
	// ReviewFile is the bytes of reviews/plan-NNNN.json that hash so, wherever they are kept.
	// ErrNoContent means that this world has no bytes.
	ReviewFile(uid UID, revision int, hash string) ([]byte, error)
	// Revision is a recorded revision of a document.
	Revision(UID, Doc, int) ([]byte, error)
}

// discussion is the review file of a task's plan while an operation works on it.
type discussion struct {
	file  *ReviewFile
	book  CommentBook // what its counts are; exact as long as the file is known
	blind bool        // this world has no bytes: only what the operation brings is in file
	dirty bool
}

func reviewPath(uid UID, revision int) string {
	return taskFile(uid, fmt.Sprintf("reviews/plan-%04d.json", revision))
}

// discussion is the comments on a task's plan as they are now; without any it is empty.
func (x *tx) discussion(t *Task) (*discussion, *Refusal) {
	if d, ok := x.talks[t.UID]; ok {
		return d, nil
	}
	d := &discussion{file: &ReviewFile{Revision: t.Status.PlanRevision}}
	d.file.judged(t.Status.Review)
	if b := t.Status.Comments; b != nil {
		d.book = *b
		d.file.Revision = b.Revision
		body, err := x.reviewFile(t.UID, b)
		switch {
		case errors.Is(err, ErrNoContent):
			d.blind = true
		case err == nil:
			if d.file, err = DecodeReviewFile(body); err == nil {
				d.book = *d.file.book(b.Hash)
				d.book.Extra = b.Extra
				break
			}
			fallthrough
		default:
			return nil, x.refuseReview(t, b.Revision, err)
		}
	}
	if x.talks == nil {
		x.talks = map[UID]*discussion{}
	}
	x.talks[t.UID] = d
	return d, nil
}

func (x *tx) reviewFile(uid UID, b *CommentBook) ([]byte, error) {
	if w, ok := x.w.(Reviewed); ok {
		return w.ReviewFile(uid, b.Revision, b.Hash)
	}
	return nil, ErrNoContent
}

func (x *tx) refuseReview(t *Task, revision int, err error) *Refusal {
	return &Refusal{
		Code: CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: GuardReadable,
		Why:  fmt.Sprintf("the comments in %s cannot be read: %v", reviewPath(t.UID, revision), err),
		Hint: "restore the file from git or a backup; `vespe doctor` says what else is wrong",
	}
}

// add puts a comment into the discussion.
func (d *discussion) add(c Comment) {
	d.file.Comments = append(d.file.Comments, c)
	d.book.count(&c, 1)
	d.dirty = true
}

// settle gives a comment another state.
func (d *discussion) settle(c *Comment, r Reply) {
	d.book.count(c, -1)
	c.State = r.State
	c.Replies = append(c.Replies, r)
	d.book.count(c, 1)
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

const shortComment = len("c") + 6

func commentID(op string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", op, n))
	return "c" + hex.EncodeToString(sum[:])
}

// CommentID is the id of the nth comment, from 0, that an operation with an id makes in a
// discussion that has none yet.
func CommentID(op string, n int) string { return commentID(op, n)[:shortComment] }

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
		b.Revision, b.Hash = d.file.Revision, ""
		if !d.blind {
			body := EncodeReviewFile(d.file)
			b.Hash = HashBytes(body)
			x.write(reviewPath(uid, d.file.Revision), body, false)
		}
		t := x.note(uid)
		t.Status.Comments = nil
		if d.blind || len(d.file.Comments) > 0 {
			t.Status.Comments = &b
		}
	}
}

// judged puts the last verdict into the file, where it is about this revision.
func (f *ReviewFile) judged(v *Review) {
	f.Verdict, f.By, f.At, f.Reason = "", "", noTime, ""
	if v != nil && v.Of == "plan" && v.Revision == f.Revision {
		f.Verdict, f.By, f.At, f.Reason = v.Verdict, v.By, v.At, v.Reason
	}
}

// comment adds comments to the plan of the step's task, on objective and plan as they are now.
func (s *step) comment(t *Task, objective, plan Content, list []NewComment) *Refusal {
	if len(list) == 0 {
		return nil
	}
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	s.onRevision(d, t, plan)
	var ids []string
	for _, n := range list {
		c := n.made()
		c.ID, c.By, c.At, c.Since = d.newID(s.op.ID, len(d.file.Comments)), s.op.Actor, s.op.At, d.file.Revision
		body := plan
		if c.Doc == Objective {
			body = objective
		}
		if c.Place, r = s.placed(n.Place, body); r != nil {
			return r
		}
		d.add(c)
		s.made = append(s.made, c)
		ids = append(ids, c.ID)
	}
	s.say(plural(len(list), "comment", "comments"))
	s.detail(ListField("comments", ids))
	return nil
}

// onRevision turns an empty discussion to the plan that it is about.
func (s *step) onRevision(d *discussion, t *Task, plan Content) {
	if d.file.PlanHash == "" {
		d.file.Revision, d.file.PlanHash = s.planRevision(t, plan), plan.Hash
	}
}

func (n *NewComment) kind() CommentKind {
	if n.Kind == "" {
		return Remark
	}
	return n.Kind
}

func (n *NewComment) doc() Doc {
	if n.Doc == "" {
		return Plan
	}
	return n.Doc
}

// placed finds the place of a new comment in today's document.
func (s *step) placed(p Place, c Content) (Place, *Refusal) {
	if p.IsZero() || c.Hash == "" { // no place, or a world without bytes
		return p, nil
	}
	lines := len(anchor.Lines(string(c.Body)))
	if len(p.Quote) == 0 {
		if p.To < p.From {
			p.To = p.From
		}
		if p.From < 1 || p.To > lines {
			return p, s.refuse(CodeInvalid, GuardPlace, fmt.Sprintf("the %s has no %s: it has %s", c.Doc, p.Lines(), plural(lines, "line", "lines")),
				"name lines that it has")
		}
		return PlaceAt(c.Body, p.From, p.To), nil
	}
	text := string(c.Body)
	return follow(p, anchor.NewFinder(text, text)), nil
}

// follow is where a place is in a later text.
func follow(p Place, f *anchor.Finder) Place {
	at := f.Find(p.anchor())
	if at.Fate == anchor.Lost {
		p.From, p.To, p.Fate = at.From, at.From, at.Fate.String()
		return p
	}
	fate := at.Fate
	moved := placeOf(f.Anchor(at))
	switch {
	case fate == anchor.Kept && p.Fate == "" && at.From == p.From:
		return moved
	case p.Fate == anchor.Edited.String(): // once it was edited it is not what it was made on
		fate = anchor.Edited
	case p.Fate == anchor.Moved.String() && fate == anchor.Kept:
		fate = anchor.Moved
	}
	moved.Fate = fate.String()
	return moved
}

// carryComments takes what is not settled to a new revision of the plan. old is the text
// before it, nil where it is not known.
func (x *tx) carryComments(t *Task, revision int, old, now []byte) *Refusal {
	if t.Status.Comments == nil && x.talks[t.UID] == nil {
		return nil
	}
	d, r := x.discussion(t)
	if r != nil {
		return r
	}
	if d.file.Revision == revision {
		return nil
	}
	if old == nil {
		old = x.revision(t.UID, Plan, d.file.Revision)
	}
	next := &ReviewFile{Revision: revision, PlanHash: HashBytes(now), ObjectiveHash: d.file.ObjectiveHash}
	var f *anchor.Finder
	for _, c := range d.file.Comments {
		if c.Settled() {
			d.book.count(&c, -1)
			continue
		}
		if c.Doc == Plan && !c.Place.IsZero() {
			if f == nil {
				f = anchor.NewFinder(string(old), string(now))
			}
			c.Place = follow(c.Place, f)
		}
		c.Replies = slices.Clone(c.Replies)
		next.Comments = append(next.Comments, c)
	}
	d.file, d.dirty = next, true
	return nil
}

// revision is the text of a recorded revision; nil where this world does not have it.
func (x *tx) revision(uid UID, doc Doc, n int) []byte {
	if w, ok := x.w.(Reviewed); ok && n > 0 {
		if body, err := w.Revision(uid, doc, n); err == nil {
			return body
		}
	}
	return nil
}

// answer gives comments the states that answers say.
func (s *step) answer(t *Task, answers []CommentAnswer) *Refusal {
	if len(answers) == 0 {
		return nil
	}
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	for _, a := range answers {
		if d.blind {
			d.book.Open = max(0, d.book.Open-1)
			d.dirty = true
			continue
		}
		d.settle(d.file.Find(a.Comment), Reply{
			State: a.Resolution, Text: strings.TrimSpace(a.Text), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision,
		})
	}
	s.say(plural(len(answers), "comment", "comments") + " answered")
	return nil
}

// needAnswerable refuses answers to comments that are not there, and answers that say nothing.
var needAnswerable = check{GuardInfo{GuardComment, "answers that say something, each to a comment that is open"}, func(s *step) *Refusal {
	if len(s.op.Answers) == 0 {
		return nil
	}
	d, r := s.discussion(s.task)
	if r != nil {
		return r
	}
	seen := map[string]bool{}
	for _, a := range s.op.Answers {
		bad := func(why, hint string) *Refusal {
			return s.refuse(CodeInvalid, GuardComment, fmt.Sprintf("the answer to %s %s", quote(a.Comment), why), hint)
		}
		c := d.file.Find(a.Comment)
		switch {
		case seen[a.Comment]:
			return bad("is there twice", "keep one of the two")
		case !slices.Contains(Resolutions(), a.Resolution):
			return bad(fmt.Sprintf("says %s", quote(string(a.Resolution))), "say addressed, declined or answered")
		case !utf8.ValidString(a.Text) || len(a.Text) > maxNote:
			return bad("is not valid UTF-8, or too long", fmt.Sprintf("use at most %d bytes of UTF-8", maxNote))
		case a.Resolution != CommentAddressed && strings.TrimSpace(a.Text) == "":
			return bad("is "+string(a.Resolution)+" without a word", "say why, or what the answer is")
		case d.blind:
		case c == nil:
			return s.refuse(CodeNotFound, GuardComment, fmt.Sprintf("there is no comment %s on its plan", quote(a.Comment)), "`vespe review "+s.task.UID.Short()+"` lists them")
		case c.Settled():
			return bad("comes late: it is "+string(c.State), "leave it out")
		}
		seen[a.Comment] = true
	}
	return nil
}}

// needAnswers keeps an agent from handing in another plan without a word to what it was told. A
// person who rewrites a plan carries the comments over.
var needAnswers = check{GuardInfo{GuardAnswers, "for an agent: an answer to each open comment"}, func(s *step) *Refusal {
	b := s.task.Status.Comments
	if b == nil || b.Open == 0 || s.op.Actor.Kind() == Human || s.op.Actor.Kind() == System {
		return nil
	}
	if s.trial {
		return nil
	}
	d, r := s.discussion(s.task)
	if r != nil {
		return r
	}
	var without []string
	for i := range d.file.Comments {
		c := &d.file.Comments[i]
		answered := slices.ContainsFunc(s.op.Answers, func(a CommentAnswer) bool { return a.Comment == c.ID })
		if c.State == CommentOpen && c.By.Kind() == Human && !answered {
			without = append(without, fmt.Sprintf("%s (%s)", c.ID, quote(firstLine(c.Text))))
		}
	}
	n := len(without)
	if d.blind {
		n = b.Open - len(s.op.Answers)
	}
	if n <= 0 {
		return nil
	}
	why := fmt.Sprintf("%s without an answer", plural(n, "open comment is", "open comments are"))
	if len(without) > 0 {
		why += ": " + strings.Join(without[:min(len(without), 3)], ", ")
		if len(without) > 3 {
			why += fmt.Sprintf(" and %d more", len(without)-3)
		}
	}
	return s.refuse(CodeRefused, GuardAnswers, why,
		"answer each with --answers FILE: addressed, declined with a reason, or answered; `vespe review "+s.task.UID.Short()+" --json` lists them")
}}

// needCommentable refuses comments that say nothing, and those that nobody may make so.
var needCommentable = check{GuardInfo{GuardComment, "comments that say something, about lines that are there"}, func(s *step) *Refusal {
	for _, n := range s.op.Comments {
		bad := func(why, hint string) *Refusal { return s.refuse(CodeInvalid, GuardComment, why, hint) }
		switch {
		case !slices.Contains(CommentKinds(), n.kind()):
			return bad(fmt.Sprintf("there are no comments of the kind %s", quote(string(n.Kind))), "say comment, question or change")
		case n.doc() != Plan && n.doc() != Objective:
			return bad(fmt.Sprintf("there is no document %s", quote(string(n.Doc))), "comment on the plan or the objective")
		case strings.TrimSpace(n.Text) == "":
			return bad("the comment is blank", "write something")
		case !utf8.ValidString(n.Text) || len(n.Text) > maxNote:
			return bad("the comment is not valid UTF-8, or too long", fmt.Sprintf("use at most %d bytes of UTF-8", maxNote))
		case n.Blocking && s.op.Actor.Kind() != Human:
			return s.refuse(CodeDenied, GuardComment, "only a person's comment can hold the acceptance of a plan", "leave the comment open without that")
		case len(n.Place.Quote)+len(n.Place.Before)+len(n.Place.After) > maxQuote:
			return bad("the comment quotes too many lines", "comment on fewer lines")
		}
	}
	return nil
}}

// maxQuote is how many lines a comment may be about.
const maxQuote = 10_000

// needUnblocked keeps a plan from being accepted over a comment that blocks.
var needUnblocked = check{GuardInfo{GuardUnblocked, "no blocking comment that is not settled"}, func(s *step) *Refusal {
	for _, n := range s.op.Comments {
		if n.Blocking {
			return s.refuse(CodeRefused, GuardUnblocked, fmt.Sprintf("the comment %s, which is being sent with it, blocks", quote(firstLine(n.Text))),
				"send it without blocking, or reject the plan with it")
		}
	}
	d, r := s.discussion(s.task)
	if r != nil || d.book.Blocking == 0 {
		return r
	}
	why := plural(d.book.Blocking, "blocking comment is", "blocking comments are") + " not settled"
	n := 0
	for i := range d.file.Comments {
		c := &d.file.Comments[i]
		if !c.holds() || c.By.Kind() != Human {
			continue
		}
		if n++; n == 1 {
			why = fmt.Sprintf("the comment %s by %s blocks: %s", c.ID, c.By, quote(firstLine(c.Text)))
			if c.State == CommentDeclined {
				why += ", and it was declined"
			}
		}
	}
	if n > 1 {
		why += fmt.Sprintf(" (and %d more)", n-1)
	}
	return s.refuse(CodeRefused, GuardUnblocked, why, "resolve it, or reject the plan")
}}

var needReviewable = check{GuardInfo{GuardPlan, "a plan"}, func(s *step) *Refusal {
	if s.task.HasPlan || s.task.Status.PlanRevision > 0 {
		return nil
	}
	return s.refuse(CodeRefused, GuardPlan, "there is no plan to comment on", "define a plan first")
}}

// needComment finds the comment that a step is about.
func needComment(what string, states ...CommentState) check {
	return check{GuardInfo{GuardComment, what}, func(s *step) *Refusal {
		if s.task.Status.Comments == nil {
			return s.refuse(CodeRefused, GuardComment, "nobody has commented on its plan", "nothing needs to be done")
		}
		if s.trial && s.op.Comment == "" {
			return nil
		}
		d, r := s.discussion(s.task)
		if r != nil || d.blind {
			return r
		}
		c := d.file.Find(s.op.Comment)
		switch {
		case c == nil:
			return s.refuse(CodeNotFound, GuardComment, fmt.Sprintf("there is no comment %s on its plan", quote(s.op.Comment)), "`vespe review "+s.task.UID.Short()+"` lists them")
		case !slices.Contains(states, c.State):
			return s.refuse(CodeRefused, GuardComment, fmt.Sprintf("the comment %s is %s already", c.ID, c.State), "nothing needs to be done")
		}
		return nil
	}}
}

func doComment(s *step) *Refusal {
	list := s.op.Comments
	if len(list) == 0 {
		list = []NewComment{{Text: s.op.Text}}
	}
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	s.head = "comment on the plan of " + quoted(s.task)
	if len(list) == 1 {
		s.say(quote(firstLine(list[0].Text)))
	}
	return s.comment(s.note(s.op.UID), objective, plan, list)
}

func doAnswerComments(s *step) *Refusal {
	return s.answer(s.note(s.op.UID), s.op.Answers)
}

func doResolveComment(s *step) *Refusal { return s.setComment(CommentResolved) }
func doReopenComment(s *step) *Refusal  { return s.setComment(CommentOpen) }

// setComment gives the step's comment the state that a person wants it to have.
func (s *step) setComment(to CommentState) *Refusal {
	t := s.note(s.op.UID)
	d, r := s.discussion(t)
	if r != nil || d.blind {
		d.dirty = d != nil
		return r
	}
	c := d.file.Find(s.op.Comment)
	d.settle(c, Reply{State: to, Text: strings.TrimSpace(s.op.Reason), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision})
	s.say(quote(firstLine(c.Text)))
	s.detail(TextField("comment", c.ID))
	return nil
}
