package lifecycle_test

import (
	"strings"
	"testing"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/review"
)

func onWork(text string) model.NewComment {
	return model.NewComment{
		Doc: model.Changes, Place: model.Place{From: 7, To: 7, Quote: []string{"+func close() {}"}}, Text: text,
		Spot: model.Spot{Run: "run-1", File: "ofx.go", Line: 3},
	}
}

// Comments on work go with its verdict, are kept beside those on its plan, stay where they are however
// the plan changes, and the next plan has to answer them.
func TestCommentsOnWork(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	d.do(model.Op{Name: model.ReviewRejected, UID: uid, Actor: ann, Reason: "half of it", Args: model.Rejection{Comments: []model.NewComment{onWork("who calls it?")}}})
	c := d.review(uid).Comments[0]
	if c.Spot != (model.Spot{Run: "run-1", File: "ofx.go", Line: 3}) || c.Place.From != 7 || c.Place.Fate != "" || c.State != model.CommentOpen {
		t.Errorf("the comment is %+v", c)
	}
	_, body := d.file("tasks/" + string(uid) + "/reviews/work-0001-*.json")
	if !strings.Contains(string(body), c.ID) {
		t.Errorf("the verdict on the work says %s", body)
	}
	next := model.Op{Name: model.DefinePlan, UID: uid, Actor: agent, Args: model.NewPlan{Text: "# Another plan\n"}}
	d.refused(next, model.GuardAnswers, model.CodeRefused)
	d.do(model.Op{Name: model.DefinePlan, UID: uid, Actor: ann, Args: model.NewPlan{Text: "# A person's plan\n"}}) // carries it over
	if c := d.review(uid).Comments[0]; c.Place.From != 7 || c.Place.Fate != "" {
		t.Errorf("with another plan it is %+v", c)
	}
	lifecycle.SetArg(&next, "answers", []model.CommentAnswer{{Comment: c.ID, Resolution: model.CommentAddressed}})
	d.do(next)
}

func TestCommentsOnWorkAreBoundByItsApproval(t *testing.T) {
	d := newDesk(t)
	uid := d.completed("subject", "")
	d.do(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann, Args: model.Feedback{Comments: []model.NewComment{onWork("well done")}}})
	f := d.review(uid)
	hash := review.HashComments(f.Comments)
	for _, change := range []func(*model.Comment){
		func(c *model.Comment) { c.Text = "badly done" },
		func(c *model.Comment) { c.Place.Quote = []string{"+func open() {}"} },
		func(c *model.Comment) { c.Spot.File = "other.go" },
		func(c *model.Comment) { c.Spot.Run = "run-2" },
	} {
		c := f.Comments[0]
		change(&c)
		if review.HashComments([]model.Comment{c}) == hash {
			t.Errorf("%+v has the hash of what was said", c)
		}
	}
}

func TestCommentsOnWorkRefused(t *testing.T) {
	for name, change := range map[string]func(*model.NewComment){
		"no run":               func(n *model.NewComment) { n.Spot.Run = "" },
		"a run that is a path": func(n *model.NewComment) { n.Spot.Run = "../x" },
		"no quotation":         func(n *model.NewComment) { n.Place.Quote = nil },
		"a line before all":    func(n *model.NewComment) { n.Spot.Line = -1 },
		"a file of a plan":     func(n *model.NewComment) { n.Doc = model.Plan },
		"it blocks":            func(n *model.NewComment) { n.Blocking = true },
	} {
		d := newDesk(t)
		uid := d.completed("subject", "")
		n := onWork("who calls it?")
		change(&n)
		guard, code := model.GuardComment, model.CodeInvalid
		if name == "it blocks" {
			guard, code = model.GuardUnblocked, model.CodeRefused
		}
		d.refused(model.Op{Name: model.ReviewAccepted, UID: uid, Actor: ann, Args: model.Feedback{Comments: []model.NewComment{n}}}, guard, code)
	}
}
