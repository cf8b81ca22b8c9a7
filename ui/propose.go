package ui

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// proposal is a set of operations that waits for a person's yes: what will happen, to
// whom, and what is left out.
type proposal struct {
	name    model.Name
	ops     []model.Op
	summary string   // one line: what will happen
	notes   []string // what a person should know before saying yes
	// affected are the other tasks that it changes.
	affected []overlay.Affected
	after    []*model.Task // what it changes, as it will be
	requests []model.Request
	left     []error // targets that this cannot be done to
	sheets   map[model.UID]*sheet
}

// previewReason stands in for the reason that has not been typed yet.
const previewReason = "…"

// sight is the world as the screen shows it: the snapshot, with the bytes of the sheets
// that have been read. lifecycle.Apply on it is a preview; the store decides.
type sight struct {
	*snapshot.Snapshot
	sheets map[model.UID]*sheet
}

func (v sight) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	s, ok := v.sheets[uid]
	if !ok || s.err != nil {
		return model.Content{}, model.ErrNoContent
	}
	c := s.objective
	if doc == model.Plan {
		c = s.plan
	}
	if c == nil {
		return model.Content{}, model.ErrNoContent
	}
	return *c, nil
}

// ReviewFile and Revision make it a model.Reviewed, so that a preview knows the comments.
func (v sight) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	s, ok := v.sheets[uid]
	if !ok || s.review == nil || s.review.Revision != known.Revision {
		return nil, model.ErrNoContent
	}
	return model.EncodeReviewFile(s.review), nil
}

// Revision is a recorded revision of a plan that has been read.
func (v sight) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	if s, ok := v.sheets[uid]; ok && doc == model.Plan && s.base != nil && s.base.Revision == n {
		return s.base.Body, nil
	}
	return nil, model.ErrNoContent
}

// allowed says why an operation cannot be done now; nil when it can be.
func (a *App) allowed(op model.Op) error {
	if err := a.writable(op); err != nil {
		return err
	}
	if a.snap == nil {
		return errNotLoaded
	}
	if err := a.ofThisRun(op); err != nil {
		return err
	}
	return lifecycle.Allowed(a.snap, op)
}

// writable says why nothing can be written; nil when it can be.
func (a *App) writable(op model.Op) error {
	if why := a.deps.ReadOnly; why != "" {
		return &model.Refusal{Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: a.name(op.UID), Guard: "writable", Why: why}
	}
	return nil
}

// propose prepares the operation for every target and previews it. Targets that the
// operation is refused for are left out; when all are, the first refusal is the error.
func (a *App) propose(base model.Op, targets []model.UID, sheets map[model.UID]*sheet) (proposal, error) {
	return a.proposeEach(base, targets, sheets, func(*model.Op) {})
}

// proposeEach is propose with what is particular to the operation on each target.
func (a *App) proposeEach(base model.Op, targets []model.UID, sheets map[model.UID]*sheet, with func(*model.Op)) (proposal, error) {
	p := proposal{name: base.Name, sheets: sheets}
	if a.deps.ReadOnly != "" && len(targets) > 0 {
		return p, a.allowed(model.Op{Name: base.Name, UID: targets[0]})
	}
	world := staged.New(sight{a.snap, sheets})
	var names []string
	for _, uid := range targets {
		op := base
		op.ID, op.UID, op.Actor = a.deps.NewID(), uid, a.deps.Actor
		with(&op)
		if s, ok := sheets[uid]; ok {
			op.Seen = a.seen(op.Name, s)
			if t, known := a.snap.Task(uid); known {
				lifecycle.SetArg(&op, "excluded", binding.Excluded(&op, t))
			}
		}
		if takesComments(op.Name) {
			a.typed.GoesWith(&op)
			lifecycle.SetArg(&op, "comments", binding.Placed(world, &op))
		}
		preview := op
		if preview.Reason == "" {
			preview.Reason = previewReason
		}
		lifecycle.FillText(&preview, previewReason)
		ch, err := lifecycle.Apply(world, preview)
		if err != nil {
			p.left = append(p.left, err)
			continue
		}
		p.ops = append(p.ops, op)
		names = append(names, a.name(uid))
		p.notes = append(p.notes, ch.Warnings...)
		p.summary = capital(ch.Summary)
		p.affected = append(p.affected, a.affected(ch, targets)...)
		p.after, p.requests = append(p.after, ch.Tasks...), append(p.requests, ch.Requests...)
		world.Absorb(ch) // the next target sees what this one will have done
	}
	if len(p.ops) == 0 {
		if len(p.left) == 0 {
			return p, errNoTask
		}
		return p, p.left[0]
	}
	if len(p.ops) > 1 {
		p.summary = fmt.Sprintf("%s: %d tasks (%s)", base.Name.Title(), len(p.ops), text.Listed(names, 3))
	}
	for i, err := range p.left {
		if i == 3 {
			p.notes = append(p.notes, fmt.Sprintf("left out: %d more", len(p.left)-i))
			break
		}
		p.notes = append(p.notes, "left out: "+a.refused(base.Name.Title(), err).Line())
	}
	return p, nil
}

// with puts what was typed into every operation, in the place of the argument.
func (p proposal) with(typed string, arg model.Arg) []model.Op {
	ops := append([]model.Op(nil), p.ops...)
	for i := range ops {
		lifecycle.SetArg(&ops[i], arg.Name, typed)
	}
	return ops
}

// seen is what a person had before them who gives a verdict: the bytes of the sheet, and the task
// and the project as the screen shows them. nil for an operation that is no verdict on them.
func (a *App) seen(op model.Name, s *sheet) *model.Seen {
	out := s.seen()
	t, ok := a.snap.Task(s.uid)
	if !ok {
		return nil
	}
	out.Verdict, out.Head, out.Bound = review.VerdictOn(t), a.snap.Head(), map[string]string{}
	switch op {
	case model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ReviewRejected:
		return out
	case model.AcceptPlan, model.Revalidate, model.ReviewAccepted:
	default:
		return nil
	}
	own, err := binding.Bound(a.snap, op, s.uid)
	if err != nil {
		return out // the task is gone, and the store says so
	}
	for file, hash := range s.bound {
		if strings.Contains(file, "/") { // of other tasks
			out.Bound[file] = hash
		}
	}
	for file, hash := range own {
		out.Bound[file] = hash
	}
	if op == model.ReviewAccepted {
		out.Bound[review.BoundResult] = model.HashResult(s.results)
	}
	return out
}

// seen are the hashes of the bytes that this sheet holds.
func (s *sheet) seen() *model.Seen {
	out := &model.Seen{}
	if s.objective != nil {
		out.ObjectiveHash = s.objective.Hash
	}
	if s.plan != nil {
		out.PlanHash = s.plan.Hash
	}
	return out
}

// asks returns the argument of a transition that a person has to type, if there is one.
func asks(t model.Transition) (model.Arg, bool) {
	for _, arg := range t.Args {
		if arg.Kind == model.ArgReason || arg.Kind == model.ArgText {
			return arg, true
		}
	}
	return model.Arg{}, false
}

// affected are the tasks that a change touches besides those that were asked for: children
// that end with their parent, a parent that continues, dependents that are marked.
func (a *App) affected(ch *model.Change, targets []model.UID) []overlay.Affected {
	var out []overlay.Affected
	for _, t := range ch.Tasks {
		if slices.Contains(targets, t.UID) {
			continue
		}
		if i, ok := a.snap.Index(t.UID); ok && stateChange(a.snap.At(i), t) == "" {
			continue // its records are kept up to date, which is nothing to decide about
		}
		row := overlay.Affected{Title: a.name(t.UID), Detail: "new"}
		if i, ok := a.snap.Index(t.UID); ok {
			now := a.snap.Status(i)
			row.Glyph, row.Ink = a.st.Status(now)
			row.Detail = stateChange(a.snap.At(i), t)
		}
		out = append(out, row)
	}
	return out
}

// takesComments reports whether the drafts on a plan, or on work, are sent with an operation.
func takesComments(name model.Name) bool {
	switch name {
	case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ReviewAccepted, model.ReviewRejected:
		return true
	}
	return false
}

// stateChange says how a task's state changes, in a few words; "" when it does not.
func stateChange(before, after *model.Task) string {
	from, to := &before.Status, &after.Status
	switch {
	case from.CurrentState != to.CurrentState:
		return strings.ReplaceAll(fmt.Sprintf("%s to %s", from.CurrentState, to.CurrentState), "_", " ")
	case from.IsPaused && !to.IsPaused:
		return "resumes"
	case !from.IsPaused && to.IsPaused:
		return "is paused"
	case len(from.ChangedBecause) < len(to.ChangedBecause):
		return "is marked as changed"
	}
	return ""
}

// preview is what operations would do, in a line each, and what a person should know.
func (a *App) preview(ops []model.Op) (summary []string, p proposal, err error) {
	world := staged.New(sight{a.snap, a.sheets()})
	for _, op := range ops {
		if err := a.writable(op); err != nil {
			return nil, p, err
		}
		ch, err := lifecycle.Apply(world, op)
		if err != nil {
			return nil, p, err
		}
		summary = append(summary, capital(ch.Summary))
		p.notes = append(p.notes, ch.Warnings...)
		p.affected = append(p.affected, a.affected(ch, []model.UID{op.UID})...)
		world.Absorb(ch)
	}
	return summary, p, nil
}
