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
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// confirm says at a terminal what an acceptance binds to and sets off, and asks whether it is to be. It
// refuses for anyone who does not say yes. texts are what the operation has as seen.
func (a *App) confirm(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, op model.Op, texts []model.Content) error {
	task, ok := snap.Task(op.UID)
	if !ok {
		return nil // it is the operation that says so
	}
	change, again, err := foreseen(a.World(ctx, snap, s), op, a.Now())
	if again || err != nil {
		return err
	}
	said, err := desk.ReviewOf(ctx, s, snap, op.UID, 0)
	if err != nil {
		return err
	}
	w := a.Stderr
	row := FieldsTo(w)
	fmt.Fprintf(w, "Accept the plan of %q  %s\n", visible.Line(Title(task)), task.UID.Short())
	for _, c := range texts {
		row(string(c.Doc), textLine(c))
	}
	risk := ""
	if task.Spec != nil {
		risk = task.Spec.Risk
	}
	for _, phase := range binding.AcceptedWith(snap, op.UID, op.Seen.Bound) {
		row("phase", fmt.Sprintf("%q, accepted with it:", visible.Line(phase.Name)))
		for line := range strings.Lines(phase.Plan) {
			row("", strings.TrimSuffix(line, "\n"))
		}
	}
	row("risk", risk)
	row("comments", commentsLine(said, len(op.Comments())))
	terms, others := review.BoundWords(op.Seen.Bound)
	row("terms", terms)
	row("includes", others)
	row("approval", a.levelWords(risk))
	if change != nil {
		row("then", change.Would())
		for _, turn := range snapshot.Turns(snap, change.Tasks) {
			if t, ok := snap.Task(turn.UID); ok {
				row("", fmt.Sprintf("%q %s", Title(t), turn.Words()))
			}
		}
	}
	row("read it", readWith(task, said))
	if change != nil {
		a.PrintWarnings(change.Warnings)
	}
	if a.Yes("Accept it?") {
		return nil
	}
	return unconfirmed(&op, task)
}

// foreseen is what an operation would do, nil where that can't be told before it is signed. again says that it is refused
// and has an id: it may be done already, which is for the store to say.
func foreseen(w model.World, op model.Op, now time.Time) (change *model.Change, again bool, err error) {
	again = op.ID != ""
	op.ID, op.At = "", now
	change, err = lifecycle.Apply(w, op)
	switch r := (*model.Refusal)(nil); {
	case err == nil, errors.As(err, &r) && r.Guard == model.GuardUndecided:
		return change, false, nil
	case again:
		return nil, true, nil
	}
	return nil, false, err
}

func unconfirmed(op *model.Op, task *model.Task) error {
	return &model.Refusal{
		Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: task.Config.Name, Guard: "confirmed",
		Why: "not confirmed", Hint: "nothing was changed",
	}
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
	fmt.Fprintf(a.Stderr, "Accept the work of %q  %s\n", visible.Line(Title(task)), task.UID.Short())
	if report == nil {
		fmt.Fprintln(a.Stderr, "Nothing was reported.")
	} else {
		fmt.Fprint(a.Stderr, ReportText(desk.ReportOf(report)))
	}
	row := FieldsTo(a.Stderr)
	for _, f := range work.Findings() {
		row(f.Status.Words(), strings.TrimSuffix(f.Title+": "+f.Detail, ": "))
	}
	for _, f := range files {
		row("result", ResultLine(f.Path, f.Size))
	}
	if len(files) == 0 {
		row("result", "no result files")
	}
	a.PrintWarnings(work.Notes())
	if change != nil {
		a.PrintWarnings(change.Warnings)
	}
	if a.Yes("Accept it?") {
		return nil
	}
	return unconfirmed(&op, task)
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

// readWith are the verbs that show what an acceptance is about.
func readWith(t *model.Task, said *desk.PlanReview) string {
	verbs := []string{"show"}
	if t.Status.PlanRevision > 1 {
		verbs = append(verbs, "plan diff")
	}
	if len(said.Comments) > 0 {
		verbs = append(verbs, "plan comments")
	}
	for i := range verbs {
		verbs[i] = "vespe " + verbs[i] + " " + t.UID.Short()
	}
	return strings.Join(verbs, ", ")
}

// textLine is a version of a document by revision, hash and size.
func textLine(c model.Content) string {
	if c.Hash == "" {
		return "none"
	}
	revision := fmt.Sprintf("revision %d", c.Revision)
	if c.Revision == 0 {
		revision = "edited by hand, no revision yet"
	}
	n := bytes.Count(c.Body, []byte("\n"))
	if len(c.Body) > 0 && c.Body[len(c.Body)-1] != '\n' {
		n++
	}
	lines := fmt.Sprintf("%d lines", n)
	if n == 1 {
		lines = "1 line"
	}
	return fmt.Sprintf("%s  sha256-%s  %s", revision, ShortHash(c.Hash), lines)
}

// commentsLine counts what was said about a plan and is not settled, and what goes along now.
func commentsLine(o *desk.PlanReview, along int) string {
	answered := 0
	for i := range o.Comments {
		switch model.CommentState(o.Comments[i].State) {
		case model.CommentOpen, model.CommentResolved:
		default:
			answered++
		}
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{o.Open, "open"}, {answered, "answered but not resolved"}, {along, "sent with it"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// levelWords are those of the keys that the person has.
func (a *App) levelWords(risk string) string {
	if a.Keys == nil {
		return review.LevelWords(nil, risk)
	}
	return review.LevelWords(a.Keys, risk)
}
