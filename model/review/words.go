package review

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vespe/model"
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
func HashComments(list []model.Comment) string {
	if len(list) == 0 {
		return ""
	}
	var said []byte
	for i := range list {
		c := &list[i]
		fields := model.Extra{
			model.TextField("kind", string(c.Kind)),
			model.BoolField("blocking", c.Blocking),
			model.TextField("doc", string(c.Doc)),
			model.IntField("from", c.Place.From),
			model.IntField("to", max(c.Place.From, c.Place.To)),
			model.TextField("text", c.Text),
		}
		if c.Place.Fate != "" {
			fields = append(fields, model.TextField("fate", c.Place.Fate), model.ListField("quote", c.Place.Quote))
		}
		if c.Doc == model.Changes { // which no approval binds
			fields = append(fields, model.TextField("run", c.Spot.Run), model.TextField("file", c.Spot.File), model.IntField("line", c.Spot.Line), model.ListField("quote", c.Place.Quote))
		}
		said = append(said, model.EncodeFields(fields)...)
	}
	return model.HashBytes(said)
}

// In are the comments of a review file that were sent along with the approval, in its order. ok is
// false where they are not what was approved.
func (said ApprovedComments) In(f *model.ReviewFile) (list []model.Comment, ok bool) {
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
func VerdictOn(t *model.Task) string {
	st := &t.Status
	switch {
	case st.Review != nil:
		return strings.Join([]string{st.Review.Of, st.Review.Verdict, string(st.Review.By), model.FormatTime(st.Review.At)}, " ")
	case st.AcceptedPlan != nil:
		return strings.Join([]string{"plan accepted", string(st.AcceptedPlan.By), model.FormatTime(st.AcceptedPlan.At)}, " ")
	}
	return ""
}

// DecidedHow says what was decided on a task, by whom and when; "" when nothing was.
func DecidedHow(t *model.Task) string {
	st := &t.Status
	switch {
	case st.Review != nil && st.Review.Verdict != "":
		return fmt.Sprintf("%s %s the %s at %s", model.OrSomebody(st.Review.By), st.Review.Verdict, cmp.Or(st.Review.Of, "task"), model.FormatTime(st.Review.At))
	case st.AcceptedPlan != nil:
		return fmt.Sprintf("%s accepted the plan at %s", model.OrSomebody(st.AcceptedPlan.By), model.FormatTime(st.AcceptedPlan.At))
	}
	return ""
}

// BoundWords say what an acceptance binds to beside the texts: the terms of the task by the beginnings of
// their hashes, and how much of other tasks; "" for nothing.
func BoundWords(bound map[string]string) (terms, others string) {
	var own []string
	n := 0
	for _, file := range slices.Sorted(maps.Keys(bound)) {
		if strings.Contains(file, "/") {
			n++
			continue
		}
		digits := strings.TrimPrefix(bound[file], "sha256-")
		own = append(own, strings.TrimSuffix(file, ".json")+" "+digits[:min(8, len(digits))])
	}
	if n > 0 {
		others = model.Plural(n, "text or result of another task", "texts or results of other tasks")
	}
	return strings.Join(own, "  "), others
}

// Signer is an Attestor that may have a key of the person's own.
type Signer interface {
	Attestor
	CanSign() bool
}

// LevelWords say how sure an approval will be that is given now on a task of that risk, and what the
// person asks for; keys may be nil.
func LevelWords(keys Signer, risk string) string {
	words := LevelClaimed.String() + ": it is not signed"
	if keys == nil {
		return words
	}
	if keys.CanSign() {
		words = "signed with your key"
	}
	switch need, err := keys.Required(risk); {
	case err != nil:
		words += "; " + err.Error()
	case need > LevelClaimed:
		words += "; it must be " + need.String()
	}
	return words
}
