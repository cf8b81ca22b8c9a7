package prompt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/history"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/store"
)

const (
	shownFiles  = 12  // of a result
	maxAbove    = 100 // tasks above a task, whatever the files say
	checkedSize = 1 << 20
)

// Gather is the Input of a task as its store has it: the accepted plan by its hash, whatever the file says
// today, and none where none is accepted (PlanHash is "" then, and nobody is to work by it). run is left out
// of the attempts before. What cannot be read of others is left out and does no harm; the bytes that were
// accepted have to be there.
func Gather(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, run string) (Input, error) {
	t, ok := snap.Task(uid)
	if !ok {
		return Input{}, &model.Refusal{Code: model.CodeNotFound, UID: uid, Guard: "task", Why: "unknown task " + string(uid), Hint: "`vespe ls` lists the tasks"}
	}
	in := Input{Task: t, Attempt: t.Status.RetryCount + 1, MaxAttempts: model.AttemptsOf(t, snap.Policy())}
	if i, ok := snap.Index(uid); ok {
		in.StatusReason = snap.StatusReason(i)
	}
	if err := in.accepted(ctx, s); err != nil {
		return Input{}, err
	}
	if t.Spec != nil {
		in.Verify = t.Spec.Verify
	}
	for at := t.Config.ParentUID; at != "" && len(in.Above) < maxAbove; {
		p, ok := snap.Task(at)
		if !ok {
			break
		}
		in.Above, at = append(in.Above, p.Config.Name), p.Config.ParentUID
	}
	var err error
	if in.Guidelines, err = s.Guidelines(ctx); err != nil {
		return Input{}, err
	}
	for _, dep := range t.DependsOn {
		in.Deps = append(in.Deps, depOf(ctx, s, snap, dep))
	}
	for _, q := range snap.Requests() {
		if q.TaskUID == uid && q.Answer != nil && !q.IsOpen() {
			a := q.Answer
			in.Answers = append(in.Answers, Decision{Title: q.Title, Decision: q.State, Choice: a.Choice, Text: a.Text, Args: a.Args, By: a.By})
		}
	}
	events, _, err := s.History(ctx, uid)
	if err != nil {
		return Input{}, err
	}
	if in.Rejected, err = rejected(ctx, s, uid, events); err != nil {
		return Input{}, err
	}
	in.Failures, err = failures(ctx, s, t, run, events)
	return in, err
}

// accepted takes the texts that a person accepted; where none are, the objective that there is.
func (in *Input) accepted(ctx context.Context, s *store.Store) (err error) {
	uid, accepted := in.Task.UID, in.Task.Status.AcceptedPlan
	if accepted == nil {
		c, err := s.Content(ctx, uid, model.Objective)
		if err != nil && !errors.Is(err, model.ErrNoContent) {
			return err
		}
		in.Objective = c.Body
		return nil
	}
	if in.Plan, in.Objective, err = s.AcceptedPlan(ctx, uid); err != nil {
		return err
	}
	in.PlanHash, in.Excluded = accepted.PlanHash, slices.Clone(accepted.Excluded)
	if n := accepted.PlanRevision; n > 0 {
		in.PlanFile = s.RevisionPath(uid, model.Plan, n, accepted.PlanHash)
		in.Comments = comments(ctx, s, uid, n, false)
	}
	return nil
}

func taskDir(s *store.Store, uid model.UID) string {
	return filepath.Join(s.Root(), store.Name, "tasks", string(uid))
}

// depOf is a dependency with the beginning of what it left. A result that cannot be read is as good as none.
func depOf(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID) Dep {
	d := Dep{UID: string(uid), Status: "missing", Dir: filepath.Join(taskDir(s, uid), "result")}
	if i, ok := snap.Index(uid); ok {
		t := snap.At(i)
		d.Name, d.Status = t.Config.Name, snap.Status(i).String()
		if r, err := s.WorkReport(ctx, t); err == nil && r != nil {
			d.Report = r.Text
		}
	}
	files, err := s.Results(ctx, uid)
	if err != nil {
		return d
	}
	for i, f := range files {
		if i == shownFiles {
			d.More = len(files) - i
			break
		}
		r := ResultFile{Path: f.Path, Size: f.Size}
		b, err := s.ReadResult(ctx, uid, f.Path, checkedSize)
		if err == nil && utf8.Valid(b) && !bytes.ContainsRune(b, 0) {
			r.Size, r.Body = int64(len(b)), b[:min(len(b), maxResultFile+utf8.UTFMax)]
		}
		if string(bytes.TrimSpace(b)) == d.Report {
			d.Report = "" // it is the file
		}
		d.Files = append(d.Files, r)
	}
	return d
}

// rejected are the verdicts against plans and work that were not taken back.
func rejected(ctx context.Context, s *store.Store, uid model.UID, events []model.Event) ([]Rejection, error) {
	var out []Rejection
	moments := history.NewChronicle(uid, events).Moments
	for i := range events {
		e := &events[i]
		if moments[i].Undone || e.Name != model.RejectPlan && e.Name != model.ReviewRejected {
			continue
		}
		r := Rejection{Of: "plan", Revision: e.Number("revision"), By: e.Actor, Reason: e.Reason}
		if e.Name == model.ReviewRejected {
			r.Of = "work"
		}
		r.Comments = comments(ctx, s, uid, r.Revision, r.Of == "work")
		out = append(out, r)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// comments are what people said about a revision of the plan, or about work that was done by it, each as
// one text. A review that cannot be read has none: what it decided is in the history.
func comments(ctx context.Context, s *store.Store, uid model.UID, revision int, work bool) []string {
	if revision == 0 {
		return nil
	}
	f, err := s.Review(ctx, uid, revision)
	if err != nil || f == nil {
		return nil
	}
	var out []string
	for i := range f.Comments {
		c := &f.Comments[i]
		if !c.OfPerson() || (c.Doc == model.Changes) != work {
			continue
		}
		where := string(c.Doc)
		if spot := c.Spot.String(); spot != "" {
			where += ", " + spot // a patch's lines say nothing to who has the files
		} else if lines := c.Place.Lines(); lines != "" && !work {
			where += ", " + lines
		}
		if len(c.Place.Quote) > 0 {
			where += " " + quoted(strings.Join(c.Place.Quote, " "), 120)
		}
		text := where + ": " + c.Text
		for _, r := range c.Replies {
			if r.Text != "" {
				text += fmt.Sprintf(" (%s: %s)", r.By, r.Text)
			}
		}
		out = append(out, text)
	}
	return out
}

// failures are the attempts at the accepted plan that ended in an error.
func failures(ctx context.Context, s *store.Store, t *model.Task, run string, events []model.Event) ([]Failure, error) {
	runs, err := s.Runs(ctx, t.UID)
	if err != nil {
		return nil, err
	}
	said := map[string]string{}
	for i := range events {
		if e := &events[i]; e.Name == model.RaiseError {
			said[e.Text("run")] = e.Reason
		}
	}
	var out []Failure
	attempt := 0
	for i := range runs {
		r := &runs[i]
		if r.ID == run || r.Outcome != model.RunErrored && r.Outcome != model.RunFailed || t.Status.AcceptedPlan != nil && r.Ended.Before(t.Status.AcceptedPlan.At) {
			continue
		}
		attempt++
		f := Failure{Run: r.ID, Attempt: attempt, Why: said[r.ID]}
		if p := r.Report; p != nil {
			f.Attempt, f.Phase, f.Why = cmp.Or(p.Attempt, attempt), p.Phase, cmp.Or(p.Why, f.Why)
		}
		b, _, err := s.ReadRunFile(ctx, t.UID, r.ID, "verify.json", 0, checkedSize)
		if err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			if report, err := runlog.DecodeReport(b); err == nil {
				f.Missing = report.Missing
				f.Checks = slices.DeleteFunc(report.Checks, func(c runlog.Evidence) bool { return c.Status == runlog.Pass })
			}
		}
		out = append(out, f)
	}
	return out, nil
}
