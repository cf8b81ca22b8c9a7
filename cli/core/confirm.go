package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/foresee"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// Sure shows a person at a terminal what an operation is about, what should make them hesitate and what comes of it, and
// asks. It refuses for anyone who does not say yes. With a code it only asks about what has that effect.
func (a *App) Sure(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, question, code string) error {
	change, again, err := foreseen(a.World(ctx, snap, s), op, a.Now())
	if again || err != nil || code != "" && !slices.ContainsFunc(change.Effects, func(e model.Effect) bool { return e.Code == code }) {
		return err
	}
	doubts, err := a.doubts(ctx, s, snap, &op, change)
	if err != nil {
		return err
	}
	w := a.Prose(a.Stderr, 6)
	task, _ := snap.Task(op.UID)
	switch op.Name {
	case model.AcceptPlan:
		err = a.aboutPlan(ctx, w, s, snap, task, &op)
	case model.ReviewAccepted:
		err = aboutWork(ctx, w, s, task)
	default:
		fmt.Fprintf(w, "This would %s\n", visible.Line(change.Would()))
	}
	if err != nil {
		return err
	}
	for _, doubt := range doubts {
		fmt.Fprintf(w, "  ! %s\n", visible.Line(doubt.Text))
	}
	if writesApproval(op.Name) {
		i, _ := snap.Index(op.UID)
		effect := foresee.Effect(snap, i, change.Tasks, change.Requests)
		if n := len(op.Comments()); n > 0 {
			effect += " " + model.Plural(n, "comment is", "comments are") + " sent with it."
		}
		fmt.Fprintf(w, "  %s\n", visible.Line(effect))
		risk := model.RiskSaid(task)
		if level := review.LevelWords(a.Keys, risk); a.Keys != nil && level != review.LevelWords(nil, risk) {
			fmt.Fprintf(w, "  Your approval is %s\n", visible.Line(level))
		}
		fmt.Fprintf(w, "  `vespe show %s` shows all of it\n", task.UID.Short())
	}
	return a.Confirm(op.Name, question)
}

// aboutPlan prints which plan is accepted: how it differs from the one that was decided on before, or its text, and what is
// accepted with it.
func (a *App) aboutPlan(ctx context.Context, w io.Writer, s *store.Store, snap *snapshot.Snapshot, t *model.Task, op *model.Op) error {
	old, plan, err := compared(ctx, s, t, op.Actor)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Plan of %q, %s  %s\n", visible.Line(Title(t)), RevisionWords(plan.Revision), t.UID.Short())
	quote := a.Prose(a.Stderr, Diff)
	if d := Unified(RevisionWords(old.Revision), "the plan now", string(old.Body), string(plan.Body)); old.Revision > 0 && d != "" {
		fmt.Fprint(quote, visible.String(d))
	} else {
		fmt.Fprintln(quote, quoted(string(plan.Body)))
	}
	for _, what := range model.ArgsOf[model.Acceptance](op).Excluded {
		fmt.Fprintf(w, "  - not accepted: %s\n", visible.Line(what))
	}
	for _, phase := range binding.AcceptedWith(snap, t.UID, op.Seen.Bound) {
		fmt.Fprintf(w, "  + Accepted with it: phase %q\n", visible.Line(phase.Name))
		fmt.Fprintln(quote, quoted(phase.Plan))
	}
	return nil
}

// quoted is a text none of whose lines passes for one of ours.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(visible.String(strings.TrimSpace(text)), "\n", "\n> ")
}

// aboutWork prints what is known of the work that is accepted: what was reported, and which files it left.
func aboutWork(ctx context.Context, w io.Writer, s *store.Store, t *model.Task) error {
	report, err := s.WorkReport(ctx, t)
	if err != nil {
		return err
	}
	work, err := workOf(ctx, s, t.UID)
	if err != nil {
		return err
	}
	files, err := s.Results(ctx, t.UID)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Work on %q  %s\n", visible.Line(Title(t)), t.UID.Short())
	if report != nil {
		fmt.Fprint(w, ReportText(desk.ReportOf(report)))
	}
	if work.Sound() {
		fmt.Fprintf(w, "  %s\n", visible.Line(work.Verified()))
	}
	for _, f := range files {
		fmt.Fprintf(w, "  result  %s\n", visible.Line(ResultLine(f.Path, f.Size)))
	}
	return nil
}

// doubts are what should make a person hesitate who does an operation, c, the gravest first. A dry run names them, and so
// does the question at a terminal.
func (a *App) doubts(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op *model.Op, c *model.Change) (out []model.Effect, err error) {
	i, _ := snap.Index(op.UID)
	switch op.Name {
	case model.AcceptPlan:
		said, err := s.Review(ctx, op.UID, 0)
		if err != nil {
			return nil, err
		}
		unasked, err := unasked(ctx, s, snap.At(i), op.Actor, said)
		if err != nil {
			return nil, err
		}
		out = foresee.Doubts(snap, i, said, unasked, " (`vespe plan diff "+op.UID.Short()+"`)", c.Warnings)
		if objective, err := s.Content(ctx, op.UID, model.Objective); err == nil && objective.Revision == 0 {
			out = append(out, foresee.Doubt("edited_objective", "the objective was edited by hand, and is accepted with it"))
		}
	case model.ReviewAccepted:
		work, err := workOf(ctx, s, op.UID)
		if err != nil {
			return nil, err
		}
		if !work.Sound() {
			out = append(out, foresee.Doubt("not_verified", work.Verified()))
		}
		if work.Report != nil {
			for _, c := range work.Report.Criteria {
				if c.Status != runlog.Pass {
					out = append(out, foresee.Doubt("not_met", strings.TrimSuffix("Not met: "+c.Text+": "+c.Why, ": ")))
				}
			}
		}
		out = append(out, foresee.Warned(c.Warnings)...)
		if files, err := s.Results(ctx, op.UID); err == nil && len(files) == 0 {
			out = append(out, foresee.Doubt("no_results", "it left no result files"))
		}
	default:
		out = foresee.Warned(c.Warnings)
	}
	return out, nil
}

// compared is the plan of a task and the revision that a person compares it with; without a revision for none.
func compared(ctx context.Context, s *store.Store, t *model.Task, who model.Actor) (old, now model.Content, err error) {
	if now, err = s.Content(ctx, t.UID, model.Plan); err != nil {
		return old, now, err
	}
	events, _, err := s.History(ctx, t.UID)
	if err != nil {
		return old, now, err
	}
	base := review.ComparedWith(t, events, who, &now)
	if base == 0 {
		return old, now, nil
	}
	if old, err = s.Revision(ctx, t.UID, model.Plan, base); errors.Is(err, model.ErrNoContent) {
		err = nil // there is nothing to compare it with
	}
	return old, now, err
}

// unasked counts the changes of a plan that no comment asked for since the person decided on it.
func unasked(ctx context.Context, s *store.Store, t *model.Task, who model.Actor, said *model.ReviewFile) (int, error) {
	old, plan, err := compared(ctx, s, t, who)
	base := old.Revision
	if err != nil || base == 0 {
		return 0, err
	}
	r := review.Revisions{Old: &old, Now: &plan, NowReview: said}
	for n := max(base, t.Status.PlanRevision-1); n >= base; n-- {
		of, _ := s.Review(ctx, t.UID, n) // one that can't be read asked for nothing
		if n == base {
			r.OldReview = of
		} else if of != nil {
			r.Between = append(r.Between, of)
		}
	}
	return r.Unasked(), nil
}

// foreseen is what an operation would do. again says that it is refused and has an id: it may be done already, which is
// for the store to say.
func foreseen(w model.World, op model.Op, now time.Time) (change *model.Change, again bool, err error) {
	again = op.ID != ""
	op.ID, op.At = "", now
	if change, err = lifecycle.Apply(w, op); err != nil && again {
		return nil, true, nil
	}
	return change, false, err
}

// Asks reports whether somebody sits at a terminal who can be asked.
func (a *App) Asks() bool { return a.StdinTerminal && a.StderrTerminal }

// Confirm asks a person at a terminal, and refuses the operation for anyone who doesn't say yes.
func (a *App) Confirm(op model.Name, question string) error {
	fmt.Fprint(a.Stderr, question+" y/N ")
	answer, ok := a.Line()
	if !ok {
		fmt.Fprintln(a.Stderr)
	}
	if answer = strings.ToLower(answer); answer == "y" || answer == "yes" {
		return nil
	}
	return &model.Refusal{Code: model.CodeRefused, Op: op, Guard: "confirmed", Why: "the answer was no; nothing was changed"}
}

// workOf is what is known of the work of a task's last run.
func workOf(ctx context.Context, s *store.Store, uid model.UID) (w runlog.Work, err error) {
	runs, err := s.Runs(ctx, uid)
	if err != nil || len(runs) == 0 {
		return w, err
	}
	w.Run = runs[len(runs)-1].ID
	b, _, err := s.ReadRunFile(ctx, uid, w.Run, "verify.json", 0, math.MaxInt)
	switch {
	case errors.Is(err, model.ErrNoContent):
	case err != nil:
		w.Err = err
	default:
		r, err := runlog.DecodeReport(b)
		if w.Err = err; err == nil {
			w.Report = &r
		}
	}
	return w, nil
}

// ConfirmElsewhere asks a person at a terminal to accept the plan of a task that was accepted where no vespe saw it,
// which has to happen once before it starts. Elsewhere the start is refused, and says so.
func (a *App) ConfirmElsewhere(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, actor model.Actor) (*snapshot.Snapshot, error) {
	task, ok := snap.Task(uid)
	if !ok || !task.Status.AcceptedPlan.IsElsewhere() || !a.Asks() {
		return snap, nil
	}
	row, _ := lifecycle.Lookup(model.AcceptPlan)
	if err := a.GuardHuman(row, snap, uid, false); err != nil {
		return nil, err
	}
	op := model.Op{Name: model.AcceptPlan, UID: uid, Actor: actor}
	if err := a.Bind(ctx, s, snap, &op, VerbFlags{}); err != nil {
		return nil, err
	}
	applied, err := s.Do(ctx, op)
	if err != nil {
		return nil, err
	}
	a.Wrote = true
	return applied.Snapshot, nil
}

// Line is a line from standard input, without the blanks around it, and reads no further; false at its end.
func (a *App) Line() (string, bool) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := a.Stdin.Read(b)
		switch {
		case n > 0 && b[0] == '\n':
			return string(bytes.TrimSpace(line)), true
		case n > 0 && len(line) < maxLine:
			line = append(line, b[0])
		case err != nil:
			return string(bytes.TrimSpace(line)), false
		}
	}
}

// maxLine is as much of a line as counts.
const maxLine = 4096

// RevisionWords name a version of a document.
func RevisionWords(n int) string {
	if n == 0 {
		return "edited by hand, no revision yet"
	}
	return fmt.Sprintf("revision %d", n)
}
