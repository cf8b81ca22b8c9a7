package model

import "time"

// Draft is what somebody has typed and not sent: a comment, which is nobody else's until a verdict
// takes it along, or the words of a verdict. Its place is that of the bytes that were on the
// screen.
type Draft struct {
	ID       string      `json:"id"`
	For      Name        `json:"for,omitempty"` // no comment, but the words for this operation
	Kind     CommentKind `json:"kind,omitempty"`
	Blocking bool        `json:"blocking,omitempty"`
	Doc      Doc         `json:"doc,omitempty"`
	Place    Place       `json:"place,omitzero"`
	Text     string      `json:"text"`
	Revision int         `json:"revision,omitempty"` // the plan's, that it was made on; 0 where it had none
	At       time.Time   `json:"at"`                 // it was begun
}

// Comment is the comment that sending it makes.
func (d *Draft) Comment() NewComment {
	return NewComment{Kind: d.Kind, Blocking: d.Blocking, Doc: d.Doc, Place: d.Place, Text: d.Text}
}

// DraftComments are the comments that sending drafts makes.
func DraftComments(list []Draft) []NewComment {
	var out []NewComment
	for i := range list {
		out = append(out, list[i].Comment())
	}
	return out
}
