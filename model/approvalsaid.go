package model

import (
	"slices"
	"strings"
)

// ApprovedComments are the comments that a person sent along with an approval. Their words are in the
// review file of the plan; the hash binds them.
type ApprovedComments struct {
	IDs  []string `json:"ids"`
	Hash string   `json:"sha256"` // HashComments of them as they were made
}

// HashComments is the hash of what comments say and of where, in one form; "" of none. What others
// make of a comment afterwards, its state and its replies, is not in it. Nor are the lines that it is
// about, where they are those of the document: an approval binds that.
func HashComments(list []Comment) string {
	if len(list) == 0 {
		return ""
	}
	var said []byte
	for i := range list {
		c := &list[i]
		fields := Extra{
			TextField("kind", string(c.Kind)),
			boolField("blocking", c.Blocking),
			TextField("doc", string(c.Doc)),
			IntField("from", c.Place.From),
			IntField("to", max(c.Place.From, c.Place.To)),
			TextField("text", c.Text),
		}
		if c.Place.Fate != "" {
			fields = append(fields, TextField("fate", c.Place.Fate), ListField("quote", c.Place.Quote))
		}
		if c.Doc == Changes { // which no approval binds
			fields = append(fields, TextField("run", c.Spot.Run), TextField("file", c.Spot.File), IntField("line", c.Spot.Line), ListField("quote", c.Place.Quote))
		}
		said = append(said, EncodeFields(fields)...)
	}
	return HashBytes(said)
}

// made is the comment as it will stand, but for its id, its place and what tells its time and author.
func (n *NewComment) made() Comment {
	return Comment{Kind: n.kind(), Blocking: n.Blocking, Doc: n.doc(), Place: n.Place, Spot: n.Spot, Text: strings.TrimSpace(n.Text), State: CommentOpen}
}

// saidWith is the hash of the comments that an operation sends along with an approval.
func saidWith(op *Op) string {
	if op.Name != AcceptPlan && op.Name != ReviewAccepted {
		return ""
	}
	var list []Comment
	for _, c := range op.Comments() {
		list = append(list, c.made())
	}
	return HashComments(list)
}

// Placed are comments at the places where they will stand in the documents of w. One whose lines are not
// there stays as it is: whoever sends it is told.
func Placed(w World, op *Op) []NewComment {
	x := &tx{m: lifecycle(), w: w, op: *op, policy: w.Policy(), trial: true}
	s := x.step(x.op, "")
	out := slices.Clone(op.Comments())
	for i, n := range out {
		if s.task == nil || n.doc() == Changes {
			continue
		}
		c, known, r := s.doc(s.task, n.doc())
		if r != nil || !known {
			continue
		}
		if p, r := s.placed(n.Place, c); r == nil {
			out[i].Place = p
		}
	}
	return out
}

// Approved are the comments of the file that were sent along with an approval, in its order. ok is
// false where they are not what was approved.
func (f *ReviewFile) Approved(said ApprovedComments) (list []Comment, ok bool) {
	for _, id := range said.IDs {
		c := f.Find(id)
		if c == nil {
			return list, false
		}
		list = append(list, *c)
	}
	return list, HashComments(list) == said.Hash
}
