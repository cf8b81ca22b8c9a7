package review

import (
	"time"

	"vespe/model"
)

// Draft is what somebody has typed and not sent: a comment, which is nobody else's until a verdict
// takes it along, or the words of something else: a verdict, an answer. Its place is that of the bytes that were on the
// screen.
type Draft struct {
	ID  string     `json:"id"`
	For model.Name `json:"for,omitempty"` // no comment, but the words for this operation
	// Request is what it answers with Decision, Answers the comment that it settles as Resolution.
	Request    string             `json:"request,omitempty"`
	Decision   model.Decision     `json:"decision,omitempty"`
	Answers    string             `json:"answers,omitempty"`
	Resolution model.CommentState `json:"resolution,omitempty"`
	// Of is the ContentHash of the request whose arguments were changed: they are JSON in Text.
	Of       string            `json:"of,omitempty"`
	Kind     model.CommentKind `json:"kind,omitempty"`
	Blocking bool              `json:"blocking,omitempty"`
	Doc      model.Doc         `json:"doc,omitempty"`
	Place    model.Place       `json:"place,omitzero"`
	Spot     model.Spot        `json:"changes,omitzero"` // of a comment on Changes
	Text     string            `json:"text"`
	Revision int               `json:"revision,omitempty"` // the plan's, that it was made on; 0 where it had none
	At       time.Time         `json:"at"`                 // it was begun
}

// Comment is the comment that sending it makes.
func (d *Draft) Comment() model.NewComment {
	return model.NewComment{Kind: d.Kind, Blocking: d.Blocking, Doc: d.Doc, Place: d.Place, Spot: d.Spot, Text: d.Text}
}

// DraftComments are the comments that sending drafts makes.
func DraftComments(list []Draft) []model.NewComment {
	var out []model.NewComment
	for i := range list {
		out = append(out, list[i].Comment())
	}
	return out
}
