package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"vespe/agents/desk"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

// confirm says at a terminal what an acceptance binds to and sets off, and asks whether it is to be. It
// refuses for whoever does not say yes. texts are what the operation has as seen.
func (a *app) confirm(ctx context.Context, s *store.Store, snap *model.Snapshot, op model.Op, texts []model.Content) error {
	task, ok := snap.Task(op.UID)
	if !ok {
		return nil // it is the operation that says so
	}
	again := op.ID
	op.ID, op.At = "", a.Now()
	change, err := model.Apply(a.world(ctx, snap, s), op)
	if r := (*model.Refusal)(nil); err != nil && (!errors.As(err, &r) || r.Guard != model.GuardUndecided) {
		if again != "" {
			return nil // it may be done already
		}
		return err
	}
	review, err := desk.ReviewOf(ctx, s, snap, op.UID, 0)
	if err != nil {
		return err
	}
	w := a.Stderr
	row := fieldsTo(w)
	fmt.Fprintf(w, "Accept the plan of %q  %s\n", visible.Line(title(task)), task.UID.Short())
	for _, c := range texts {
		row(string(c.Doc), textLine(c))
	}
	risk := ""
	if task.Spec != nil {
		risk = task.Spec.Risk
	}
	for _, phase := range model.AcceptedWith(snap, op.UID, op.Seen.Bound) {
		row("phase", fmt.Sprintf("%q, accepted with it:", visible.Line(phase.Name)))
		for line := range strings.Lines(phase.Plan) {
			row("", strings.TrimSuffix(line, "\n"))
		}
	}
	row("risk", risk)
	row("comments", commentsLine(review, len(op.Comments)))
	terms, others := model.BoundWords(op.Seen.Bound)
	row("terms", terms)
	row("others", others)
	row("approval", a.levelWords(risk))
	if change != nil {
		row("then", change.Summary)
		for _, turn := range snap.Turns(change.Tasks) {
			if t, ok := snap.Task(turn.UID); ok {
				row("", fmt.Sprintf("%q %s", title(t), turn.Words()))
			}
		}
	}
	row("read it", readWith(task, review))
	if change != nil {
		a.printWarnings(change.Warnings)
	}
	if a.yes("Accept it?") {
		return nil
	}
	return unconfirmed(&op, task)
}

func unconfirmed(op *model.Op, task *model.Task) error {
	return &model.Refusal{
		Code: model.CodeRefused, Op: op.Name, UID: op.UID, Task: task.Config.Name, Guard: "confirmed",
		Why: "it was not confirmed", Hint: "nothing was changed",
	}
}

// confirmWork shows a person at a terminal what was reported of the work that they accept, and asks.
func (a *app) confirmWork(ctx context.Context, s *store.Store, snap *model.Snapshot, op model.Op) error {
	task, ok := snap.Task(op.UID)
	if !ok || task.Status.CurrentState != model.Completed {
		return nil // it is the operation that says so
	}
	report, err := s.WorkReport(ctx, task)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "Accept the work of %q  %s\n", visible.Line(title(task)), task.UID.Short())
	if report == nil {
		fmt.Fprintln(a.Stderr, "Nothing was reported.")
	} else {
		fmt.Fprint(a.Stderr, reportText(desk.ReportOf(report)))
	}
	if a.yes("Accept it?") {
		return nil
	}
	return unconfirmed(&op, task)
}

// confirmElsewhere asks a person at a terminal to accept the plan of a task that was accepted where no vespe saw it,
// which has to happen once before it starts. Elsewhere the start is refused, and says so.
func (a *app) confirmElsewhere(ctx context.Context, s *store.Store, snap *model.Snapshot, uid model.UID, actor model.Actor) (*model.Snapshot, error) {
	task, ok := snap.Task(uid)
	if !ok || !task.Status.AcceptedPlan.IsElsewhere() || !a.StdinTerminal || !a.StderrTerminal {
		return snap, nil
	}
	row, _ := model.Lookup(model.AcceptPlan)
	if err := a.guardHuman(row, snap, uid, false); err != nil {
		return nil, err
	}
	op := model.Op{Name: model.AcceptPlan, UID: uid, Actor: actor}
	if err := a.bind(ctx, s, snap, &op, verbFlags{}); err != nil {
		return nil, err
	}
	applied, err := s.Do(ctx, op)
	if err != nil {
		return nil, err
	}
	a.wrote = true
	return applied.Snapshot, nil
}

// yes asks a person at a terminal, on standard error.
func (a *app) yes(question string) bool {
	fmt.Fprint(a.Stderr, question+" y/N ")
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	if err != nil {
		fmt.Fprintln(a.Stderr)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// readWith are the verbs that show what an acceptance is about.
func readWith(t *model.Task, review *desk.PlanReview) string {
	verbs := []string{"show"}
	if t.Status.PlanRevision > 1 {
		verbs = append(verbs, "diff")
	}
	if len(review.Comments) > 0 {
		verbs = append(verbs, "review")
	}
	for i := range verbs {
		verbs[i] = "vespe " + verbs[i] + " " + t.UID.Short()
	}
	return strings.Join(verbs, ", ")
}

// textLine is a version of a document by revision, hash and size.
func textLine(c model.Content) string {
	if c.Hash == "" {
		return "there is none"
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
	return fmt.Sprintf("%s  sha256-%s  %s", revision, shortHash(c.Hash), lines)
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
	}{{o.Open, "open"}, {answered, "answered but not resolved"}, {along, "sent along"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

// levelWords are those of the keys that the person has.
func (a *app) levelWords(risk string) string {
	if a.Keys == nil {
		return model.LevelWords(nil, risk)
	}
	return model.LevelWords(a.Keys, risk)
}
