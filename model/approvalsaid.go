package model

import (
	"cmp"
	"fmt"
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
			BoolField("blocking", c.Blocking),
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

// VerdictOn names the verdict that stands on a task, for Seen; "" for none.
func VerdictOn(t *Task) string {
	st := &t.Status
	switch {
	case st.Review != nil:
		return strings.Join([]string{st.Review.Of, st.Review.Verdict, string(st.Review.By), FormatTime(st.Review.At)}, " ")
	case st.AcceptedPlan != nil:
		return strings.Join([]string{"plan accepted", string(st.AcceptedPlan.By), FormatTime(st.AcceptedPlan.At)}, " ")
	}
	return ""
}

// DecidedHow says what was decided on a task, by whom and when; "" when nothing was.
func DecidedHow(t *Task) string {
	st := &t.Status
	switch {
	case st.Review != nil && st.Review.Verdict != "":
		return fmt.Sprintf("%s %s the %s at %s", OrSomebody(st.Review.By), st.Review.Verdict, cmp.Or(st.Review.Of, "task"), FormatTime(st.Review.At))
	case st.AcceptedPlan != nil:
		return fmt.Sprintf("%s accepted the plan at %s", OrSomebody(st.AcceptedPlan.By), FormatTime(st.AcceptedPlan.At))
	}
	return ""
}
