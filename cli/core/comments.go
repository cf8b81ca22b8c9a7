package core

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/store"
)

// CommentFlags are what the verbs that comment, or answer comments, take besides.
type CommentFlags struct {
	line, kind, doc   string
	blocking          bool
	answers, Comments string
	without           []string
}

func (f *CommentFlags) Add(c *cobra.Command, name model.Name) {
	switch name {
	case model.AddComment:
		c.Flags().StringVar(&f.line, "line", "", "the line or lines: 12 or 12-14")
		c.Flags().StringVar(&f.kind, "kind", string(model.Remark), "comment, question or change")
		c.Flags().StringVar(&f.doc, "doc", string(model.Plan), "the document: plan or objective")
		c.Flags().BoolVar(&f.blocking, "blocking", false, "the plan can't be accepted until this is resolved")
	case model.DefinePlan, model.AnswerComments:
		if name == model.DefinePlan {
			c.Example += "\n  " + name.Command() + " 3f9a1c --file plan.md --answers answers.json"
		}
		c.Long += "\n\nThe file of --answers says what was done about each comment:\n\n" +
			`  [{"comment": "c1a2b3c", "resolution": "addressed", "text": "see step 2"}]`
		c.Flags().StringVar(&f.answers, "answers", "", "answer comments: a file or - with a JSON list of comment, resolution (addressed, declined, answered) "+
			"and text")
	case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan:
		if name == model.AcceptPlan {
			c.Flags().StringArrayVar(&f.without, "without", nil, "leave out a section of the plan, by its heading; may be repeated")
		}
		c.Flags().StringVar(&f.Comments, "comments", "", "send comments: a file or - with a JSON list of text, line, kind, doc and blocking")
	}
}

// Fill puts what the flags say into an operation.
func (f *CommentFlags) Fill(ctx context.Context, a *App, s *store.Store, snap *snapshot.Snapshot, op *model.Op) error {
	lifecycle.SetArg(op, "excluded", f.without)
	switch {
	case op.Name == model.AddComment:
		c, err := newComment(commentInput{Line: f.line, Kind: f.kind, Doc: f.doc, Blocking: f.blocking, Text: op.Text()})
		if err != nil {
			return err
		}
		op.Args = model.Remarks{Comments: []model.NewComment{c}}
	case f.answers != "":
		var answers []model.CommentAnswer
		if err := a.readJSON(f.answers, "answers", &answers); err != nil {
			return err
		}
		lifecycle.SetArg(op, "answers", answers)
	case f.Comments != "":
		var list []commentInput
		if err := a.readJSON(f.Comments, "comments", &list); err != nil {
			return err
		}
		var comments []model.NewComment
		for _, in := range list {
			c, err := newComment(in)
			if err != nil {
				return err
			}
			comments = append(comments, c)
		}
		lifecycle.SetArg(op, "comments", comments)
	}
	return nil
}

// commentInput is a comment as a script writes it.
type commentInput struct {
	Line     string `json:"line"`
	Kind     string `json:"kind"`
	Doc      string `json:"doc"`
	Blocking bool   `json:"blocking"`
	Text     string `json:"text"`
}

func newComment(in commentInput) (model.NewComment, error) {
	c := model.NewComment{Kind: model.CommentKind(in.Kind), Doc: model.Doc(in.Doc), Blocking: in.Blocking, Text: in.Text}
	if in.Line == "" {
		return c, nil
	}
	from, to, isRange := strings.Cut(in.Line, "-")
	if !isRange {
		to = from
	}
	var err1, err2 error
	c.Place.From, err1 = strconv.Atoi(strings.TrimSpace(from))
	c.Place.To, err2 = strconv.Atoi(strings.TrimSpace(to))
	if err1 != nil || err2 != nil || c.Place.From < 1 || c.Place.To < c.Place.From {
		return c, Usagef("%q is not a line range: write 12 or 12-14", in.Line)
	}
	return c, nil
}

// readJSON reads a list from a file; a key that nobody knows is a mistake.
func (a *App) readJSON(name, what string, into any) error {
	text, err := a.ReadText(name, what)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return Usagef("can't read %s from %s: %s", what, name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Usagef("%s: unexpected text after the list in %s", what, name)
	}
	return nil
}

// FetchedVerdict marks the verdict on a task as read, when an agent reads it.
func (a *App) FetchedVerdict(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) *snapshot.Snapshot {
	t, ok := snap.Task(uid)
	if !ok || t.Status.Review == nil || t.Status.Review.FetchedBy != "" {
		return snap
	}
	if applied, ok := a.Fetch(ctx, s, "verdict", model.Op{Name: model.FetchVerdict, UID: uid}); ok {
		return applied.Snapshot
	}
	return snap
}
