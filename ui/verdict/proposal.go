package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/snapshot"
	"vespe/model/staged"
	"vespe/ui/drafts"
	"vespe/ui/overlay"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/text"
	"vespe/ui/view"
)

// Proposer makes proposals and the dialogs that ask about them, from the state of the workbench at one moment.
type Proposer struct {
	Snap     *snapshot.Snapshot
	Shown    *taskdocs.Docs // what was read of the task under the cursor; nil for nothing
	Styles   *style.Styles
	Keymap   *keymap.Keymap
	Drafts   *drafts.Book
	Keys     review.Signer // nil: nothing is signed
	Actor    model.Actor
	ReadOnly string // why nothing can be written; "" when it can be
	NewID    func() string
	// Hint is "KEY does", for sentences; "" for an action without a key.
	Hint func(action keymap.Action, does string) string
}

// Proposal is a set of operations that waits for a person's yes: what will happen, to whom, and what is left out.
type Proposal struct {
	Name     model.Name
	Ops      []model.Op
	Summary  string             // one line: what will happen
	Effects  []string           // what comes of it, a sentence each
	Notes    []string           // what a person should know before saying yes
	Affected []overlay.Affected // the other tasks that it changes
	After    []*model.Task      // what it changes, as it will be
	Requests []model.Request
	Refused  []error // for targets that this cannot be done to
	Seen     map[model.UID]*taskdocs.Docs
}

// PreviewReason stands in for the reason that has not been typed yet.
const PreviewReason = "…"

// Sight is the store as the screen shows it: the snapshot, with the bytes of the dialogs
// that have been read. lifecycle.Apply on it is a preview; the store decides.
type Sight struct {
	*snapshot.Snapshot
	Texts map[model.UID]*taskdocs.Docs
}

func (v Sight) Content(uid model.UID, doc model.Doc) (model.Content, error) {
	s, ok := v.Texts[uid]
	if !ok || s.Err != nil {
		return model.Content{}, model.ErrNoContent
	}
	c := s.Objective
	if doc == model.Plan {
		c = s.Plan
	}
	if c == nil {
		return model.Content{}, model.ErrNoContent
	}
	return *c, nil
}

// ReviewFile and Revision make it a model.Reviewed, so that a preview knows the comments.
func (v Sight) ReviewFile(uid model.UID, known *model.CommentBook) ([]byte, error) {
	s, ok := v.Texts[uid]
	if !ok || s.Review == nil || s.Review.Revision != known.Revision {
		return nil, model.ErrNoContent
	}
	return model.EncodeReviewFile(s.Review), nil
}

// Revision is a recorded revision of a plan that has been read.
func (v Sight) Revision(uid model.UID, doc model.Doc, n int) ([]byte, error) {
	if s, ok := v.Texts[uid]; ok && doc == model.Plan && s.Base != nil && s.Base.Revision == n {
		return s.Base.Body, nil
	}
	return nil, model.ErrNoContent
}

// ErrNotLoaded is what is said before there is anything to act on.
var ErrNotLoaded = errors.New("the store is still loading")

// ErrNoTask is what is said where an action has no task to act on.
var ErrNoTask = errors.New(view.NoTask)

// Allowed says why an operation cannot be done now; nil when it can be.
func (v Proposer) Allowed(op model.Op) error {
	if err := v.Writable(op); err != nil {
		return err
	}
	if v.Snap == nil {
		return ErrNotLoaded
	}
	return lifecycle.Allowed(v.Snap, op)
}

// Writable says why nothing can be written; nil when it can be.
func (v Proposer) Writable(op model.Op) error {
	if why := v.ReadOnly; why != "" {
		return &model.Refusal{Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: v.name(op.UID), Guard: "writable", Why: why}
	}
	return nil
}

// Propose prepares the operation for every target and previews it. Targets that the
// operation is refused for are left out; when all are, the first refusal is the error.
func (v Proposer) Propose(base model.Op, targets []model.UID, docs map[model.UID]*taskdocs.Docs) (Proposal, error) {
	p := Proposal{Name: base.Name, Seen: docs}
	if v.ReadOnly != "" && len(targets) > 0 {
		return p, v.Allowed(model.Op{Name: base.Name, UID: targets[0]})
	}
	world := staged.New(Sight{v.Snap, docs})
	var names []string
	for _, uid := range targets {
		op := base
		op.ID, op.UID, op.Actor = v.NewID(), uid, v.Actor
		if s, ok := docs[uid]; ok {
			op.Seen = v.seen(op.Name, s)
			if t, known := v.Snap.Task(uid); known {
				lifecycle.SetArg(&op, "excluded", binding.Excluded(&op, t))
			}
		}
		if takesComments(op.Name) {
			v.Drafts.GoesWith(&op)
			lifecycle.SetArg(&op, "comments", binding.Placed(world, &op))
		}
		expect(world, &op)
		preview := op
		if preview.Reason == "" {
			preview.Reason = PreviewReason
		}
		lifecycle.FillText(&preview, PreviewReason)
		ch, err := lifecycle.Apply(world, preview)
		if err != nil {
			p.Refused = append(p.Refused, err)
			continue
		}
		p.Ops = append(p.Ops, op)
		names = append(names, v.name(uid))
		p.Notes = append(p.Notes, ch.Warnings...)
		p.Summary = text.Capital(ch.Would())
		p.Affected = append(p.Affected, v.affected(ch, targets)...)
		p.After, p.Requests = append(p.After, ch.Tasks...), append(p.Requests, ch.Requests...)
		world.Absorb(ch) // the next target sees what this one will have done
	}
	if len(p.Ops) == 0 {
		if len(p.Refused) == 0 {
			return p, ErrNoTask
		}
		return p, p.Refused[0]
	}
	if len(p.Ops) > 1 {
		p.Summary = fmt.Sprintf("%s: %d tasks (%s)", base.Name.Title(), len(p.Ops), text.Listed(names, 3))
	}
	for i, err := range p.Refused {
		if i == 3 {
			p.Notes = append(p.Notes, fmt.Sprintf("left out: %d more", len(p.Refused)-i))
			break
		}
		p.Notes = append(p.Notes, "left out: "+v.Refused(base.Name.Title(), err).Line())
	}
	return p, nil
}

// With puts what was typed into every operation, in the place of the argument.
func (p Proposal) With(typed string, arg model.Arg) []model.Op {
	ops := append([]model.Op(nil), p.Ops...)
	for i := range ops {
		lifecycle.SetArg(&ops[i], arg.Name, typed)
	}
	return ops
}

// seen is what a person had before them who gives a verdict: the bytes of the dialog, and the task
// and the project as the screen shows them. nil for an operation that is no verdict on them.
func (v Proposer) seen(op model.Name, s *taskdocs.Docs) *model.Seen {
	out := s.Seen()
	t, ok := v.Snap.Task(s.UID)
	if !ok {
		return nil
	}
	out.Verdict, out.Head, out.Bound = review.VerdictOn(t), v.Snap.Head(), map[string]string{}
	switch op {
	case model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ReviewRejected:
		return out
	case model.AcceptPlan, model.Revalidate, model.ReviewAccepted:
	default:
		return nil
	}
	own, err := binding.Bound(v.Snap, op, s.UID)
	if err != nil {
		return out // the task is gone, and the store says so
	}
	for file, hash := range s.Bound {
		if strings.Contains(file, "/") { // of other tasks
			out.Bound[file] = hash
		}
	}
	for file, hash := range own {
		out.Bound[file] = hash
	}
	if op == model.ReviewAccepted {
		out.Bound[review.BoundResult] = model.HashResult(s.Results)
	}
	return out
}

// Asks returns the argument of a transition that a person has to type, if there is one.
func Asks(t model.Transition) (model.Arg, bool) {
	for _, arg := range t.Args {
		if arg.Kind == model.ArgReason || arg.Kind == model.ArgText {
			return arg, true
		}
	}
	return model.Arg{}, false
}

// affected lists the tasks that a change touches as a side effect: children
// that end with their parent, a parent that continues, dependents that are marked.
func (v Proposer) affected(ch *model.Change, targets []model.UID) []overlay.Affected {
	var out []overlay.Affected
	for _, t := range ch.Tasks {
		if slices.Contains(targets, t.UID) {
			continue
		}
		if i, ok := v.Snap.Index(t.UID); ok && StateChange(v.Snap.At(i), t) == "" {
			continue // its records are kept up to date, which is nothing to decide about
		}
		row := overlay.Affected{Title: v.name(t.UID), Detail: "new"}
		if i, ok := v.Snap.Index(t.UID); ok {
			now := v.Snap.Status(i)
			row.Glyph, row.Ink = v.Styles.Status(now)
			row.Detail = StateChange(v.Snap.At(i), t)
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

// StateChange says how a task's state changes, in a few words; "" when it does not.
func StateChange(before, after *model.Task) string {
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

// Preview is what operations would do, in a line each, and what a person should know.
func (v Proposer) Preview(ops []model.Op) (summary []string, p Proposal, err error) {
	world := staged.New(Sight{v.Snap, v.Read()})
	for k := range ops {
		op := &ops[k]
		if err := v.Writable(*op); err != nil {
			return nil, p, err
		}
		expect(world, op)
		ch, err := lifecycle.Apply(world, *op)
		if err != nil {
			return nil, p, err
		}
		summary = append(summary, text.Capital(ch.Would()))
		p.Effects = append(p.Effects, model.Texts(ch.Effects)...)
		p.Notes = append(p.Notes, ch.Warnings...)
		p.Affected = append(p.Affected, v.affected(ch, []model.UID{op.UID})...)
		world.Absorb(ch)
	}
	return summary, p, nil
}

// expect binds an undo to the decision that is shown: none that came after it is taken back.
func expect(w model.World, op *model.Op) {
	if t, ok := w.Task(op.UID); ok && op.Name == model.UndoVerdict {
		op.ExpectRevision = t.Status.Revision
	}
}

// Read are the texts that have been read, by task.
func (v Proposer) Read() map[model.UID]*taskdocs.Docs {
	if v.Shown == nil {
		return nil
	}
	return map[model.UID]*taskdocs.Docs{v.Shown.UID: v.Shown}
}
