package review

import (
	"slices"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"vespe/model"
	"vespe/model/anchor"
)

// Revisions are two revisions of a plan, with what was said of each and of those between them, the newest first.
type Revisions struct {
	Old, Now             *model.Content
	OldReview, NowReview *model.ReviewFile
	Between              []*model.ReviewFile
}

// ComparedWith is the plan revision that a person compares a task's current plan with: the last that they decided on, or
// that anybody did, or the one before; 0 for none.
func ComparedWith(t *model.Task, history []model.Event, who model.Actor, now *model.Content) int {
	latest := t.Status.PlanRevision
	if now.Revision == 0 { // edited since, without a revision yet
		latest++
	}
	base := latest - 1
	if r := t.Status.Review; r != nil && r.Of == "plan" && r.Revision > 0 && r.Revision < latest {
		base = r.Revision
	}
	at := 0
	for i := range history {
		e := &history[i]
		for _, r := range e.Recorded() {
			if r.Doc == model.Plan {
				at = r.N
			}
		}
		switch e.Name {
		case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan:
			if e.Actor == who && at > 0 && at < latest {
				base = at
			}
		}
	}
	return max(0, base)
}

// Asked tells the changes that a comment asked for, by their lines in the old text and in the new one: one was on lines
// that were changed, or beside which something was put. Where nobody had commented, all is the writer's own, and it is nil.
func (r *Revisions) Asked() func(oldFrom, oldTo, newFrom, newTo int) bool {
	olds, news := r.places()
	if len(olds)+len(news) == 0 {
		return nil
	}
	touches := func(list []model.Place, from, to int) bool {
		return slices.ContainsFunc(list, func(at model.Place) bool { return at.From <= to+1 && at.To >= from-1 })
	}
	return func(oldFrom, oldTo, newFrom, newTo int) bool {
		return touches(olds, oldFrom, oldTo) || touches(news, newFrom, newTo)
	}
}

// Unasked counts the changes that no comment asked for.
func (r *Revisions) Unasked() int {
	asked, n := r.Asked(), 0
	if asked == nil {
		return 0
	}
	for _, h := range textdiff.Hunks(ended(r.Old), ended(r.Now), diff.Context(0), textdiff.IndentHeuristic()) {
		if !asked(h.LineNoX+1, h.EndLineNoX, h.LineNoY+1, h.EndLineNoY) {
			n++
		}
	}
	return n
}

// places are the lines that comments are about: of the old text, and of the new one.
func (r *Revisions) places() (olds, news []model.Place) {
	// A comment made on the new text asked for nothing in it.
	news = onPlan(r.NowReview, r.Now.Revision)
	finder := anchor.NewFinder(string(r.Now.Body), string(r.Now.Body))
	for _, f := range r.Between { // whose lines are those of other texts
		for _, at := range onPlan(f, r.Now.Revision) {
			if at = model.FollowPlace(at, finder); !at.Lost() {
				news = append(news, at)
			}
		}
	}
	return onPlan(r.OldReview, 0), news
}

// onPlan are the places of comments on lines of a plan that were made before a revision of it; 0 is any.
func onPlan(f *model.ReviewFile, before int) (out []model.Place) {
	if f == nil {
		return nil
	}
	for i := range f.Comments {
		c := &f.Comments[i]
		if c.Doc == model.Plan && !c.Place.IsZero() && !c.Place.Lost() && (before == 0 || c.Since < before) {
			out = append(out, c.Place)
		}
	}
	return out
}

// ended is a text whose last line has a line feed, so that one without it is no change.
func ended(c *model.Content) string {
	return strings.TrimSuffix(strings.ReplaceAll(string(c.Body), "\r\n", "\n"), "\n") + "\n"
}
