package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
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

// confirm says at a terminal what should make a person hesitate and what an acceptance does, and asks whether it is to
// be. It refuses for anyone who does not say yes. texts are the objective and the plan that the operation has as seen.
func (a *App) confirm(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, texts []model.Content) error {
	plan := &texts[1]
	i, ok := snap.Index(op.UID)
	if !ok {
		return nil // it is the operation that says so
	}
	task := snap.At(i)
	change, again, err := foreseen(a.World(ctx, snap, s), op, a.Now())
	if again || err != nil {
		return err
	}
	said, err := s.Review(ctx, task.UID, 0)
	if err != nil {
		return err
	}
	unasked, err := unasked(ctx, s, task, op.Actor, plan, said)
	if err != nil {
		return err
	}
	w, id := a.Prose(a.Stderr, 0), task.UID.Short()
	fmt.Fprintf(w, "Plan of %q, %s  %s\n", visible.Line(Title(task)), revisionWords(plan.Revision), id)
	shows := " (`vespe plan diff " + id + "`)"
	for _, doubt := range foresee.PlanDoubts(snap, i, said, unasked, shows, change.Warnings) {
		fmt.Fprintf(w, "  ! %s\n", visible.Line(doubt))
	}
	if objective := texts[0]; objective.Hash != "" && objective.Revision == 0 {
		fmt.Fprintln(w, "  ! The objective was edited by hand, and is accepted with it")
	}
	for _, what := range model.ArgsOf[model.Acceptance](&op).Excluded {
		fmt.Fprintf(w, "  - not accepted: %s\n", visible.Line(what))
	}
	for _, phase := range binding.AcceptedWith(snap, op.UID, op.Seen.Bound) {
		fmt.Fprintf(w, "  + Accepted with it: phase %q\n      %s\n", visible.Line(phase.Name), strings.ReplaceAll(visible.String(strings.TrimSpace(phase.Plan)), "\n", "\n      "))
	}
	effect := foresee.Effect(snap, i, change.Tasks, change.Requests)
	if n := len(op.Comments()); n > 0 {
		effect += " " + model.Plural(n, "comment is", "comments are") + " sent with it."
	}
	fmt.Fprintf(w, "  %s\n", visible.Line(effect))
	if level := a.levelWords(task); level != "" {
		fmt.Fprintf(w, "  Your approval is %s\n", visible.Line(level))
	}
	fmt.Fprintf(w, "  `vespe show %s` shows the plan\n", id)
	if a.Yes("Accept it?") {
		return nil
	}
	return NotConfirmed(op.Name)
}

// levelWords say how sure an acceptance will be; "" where it is only claimed, and may be.
func (a *App) levelWords(t *model.Task) string {
	risk := model.RiskSaid(t)
	if a.Keys == nil || review.LevelWords(a.Keys, risk) == review.LevelWords(nil, risk) {
		return ""
	}
	return review.LevelWords(a.Keys, risk)
}

// unasked counts the changes of a plan that no comment asked for since the person decided on it.
func unasked(ctx context.Context, s *store.Store, t *model.Task, who model.Actor, plan *model.Content, said *model.ReviewFile) (int, error) {
	events, _, err := s.History(ctx, t.UID)
	if err != nil {
		return 0, err
	}
	base := review.ComparedWith(t, events, who, plan)
	if base == 0 {
		return 0, nil
	}
	old, err := s.Revision(ctx, t.UID, model.Plan, base)
	if errors.Is(err, model.ErrNoContent) {
		return 0, nil // there is nothing to compare it with
	} else if err != nil {
		return 0, err
	}
	r := review.Revisions{Old: &old, Now: plan, NowReview: said}
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

// NotConfirmed is the answer to somebody who was asked and didn't say yes.
func NotConfirmed(op model.Name) error {
	return &model.Refusal{Code: model.CodeRefused, Op: op, Guard: "confirmed", Why: "not confirmed; nothing was changed"}
}

// confirmWork shows a person at a terminal what is known of the work that they accept, and asks: what was reported, what
// its checks found, which files it left, and what must not be overlooked.
func (a *App) confirmWork(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op) error {
	task, ok := snap.Task(op.UID)
	if !ok || task.Status.CurrentState != model.Completed {
		return nil // it is the operation that says so
	}
	change, again, err := foreseen(a.World(ctx, snap, s), op, a.Now())
	if again || err != nil {
		return err
	}
	report, err := s.WorkReport(ctx, task)
	if err != nil {
		return err
	}
	work, err := workOf(ctx, s, task.UID)
	if err != nil {
		return err
	}
	files, err := s.Results(ctx, task.UID)
	if err != nil {
		return err
	}
	w := a.Prose(a.Stderr, 6)
	fmt.Fprintf(w, "Work on %q  %s\n", visible.Line(Title(task)), task.UID.Short())
	if report != nil {
		fmt.Fprint(w, ReportText(desk.ReportOf(report)))
	}
	sign := ""
	if !work.Sound() {
		sign = "! "
	}
	fmt.Fprintf(w, "  %s%s\n", sign, visible.Line(work.Verified()))
	if work.Report != nil {
		for _, c := range work.Report.Criteria {
			if c.Status != runlog.Pass {
				fmt.Fprintf(w, "  ! %s\n", visible.Line(strings.TrimSuffix("Not met: "+c.Text+": "+c.Why, ": ")))
			}
		}
	}
	for _, warning := range change.Warnings {
		fmt.Fprintf(w, "  ! %s\n", visible.Line(model.Capital(warning)))
	}
	for _, f := range files {
		fmt.Fprintf(w, "  result  %s\n", visible.Line(ResultLine(f.Path, f.Size)))
	}
	if len(files) == 0 {
		fmt.Fprintln(w, "  ! It left no result files")
	}
	i, _ := snap.Index(op.UID)
	fmt.Fprintf(w, "  %s\n", visible.Line(foresee.Effect(snap, i, change.Tasks, change.Requests)))
	if a.Yes("Accept it?") {
		return nil
	}
	return NotConfirmed(op.Name)
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
	if !ok || !task.Status.AcceptedPlan.IsElsewhere() || !a.StdinTerminal || !a.StderrTerminal {
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

// Yes asks a person at a terminal, on standard error.
func (a *App) Yes(question string) bool {
	fmt.Fprint(a.Stderr, question+" y/N ")
	answer, ok := a.Line()
	if !ok {
		fmt.Fprintln(a.Stderr)
	}
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes"
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

// revisionWords name a version of a document.
func revisionWords(n int) string {
	if n == 0 {
		return "edited by hand, no revision yet"
	}
	return fmt.Sprintf("revision %d", n)
}
