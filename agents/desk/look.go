package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// PlanReviewID names the verdict on a revision of a task's plan.
func PlanReviewID(uid model.UID, revision int) string {
	return fmt.Sprintf("plan-%s-%d", uid, revision)
}

// WorkReviewID names the verdict on work that was done by a revision of a task's plan.
func WorkReviewID(uid model.UID, revision int) string {
	return fmt.Sprintf("work-%s-%d", uid, revision)
}

// subject is what a review id names.
type subject struct {
	kind     string // KindPlan, KindWork, or "" for a request
	uid      model.UID
	revision int
	request  string
}

func subjectOf(id string) (subject, error) {
	for _, kind := range []string{KindPlan, KindWork} {
		rest, ok := strings.CutPrefix(id, kind+"-")
		if !ok {
			continue
		}
		k := strings.LastIndexByte(rest, '-')
		if k < 0 {
			break
		}
		n, err := strconv.Atoi(rest[k+1:])
		if uid := model.UID(rest[:k]); err == nil && n > 0 && uid.Valid() {
			return subject{kind: kind, uid: uid, revision: n}, nil
		}
	}
	if strings.HasPrefix(id, "req-") || strings.HasPrefix(id, "esc-") {
		return subject{request: id}, nil
	}
	return subject{}, problem(CodeNotFound, fmt.Sprintf("unknown review %q", visible.Line(id)),
		"Use the review_id that plan_submit, ask_human or task_report returned, as it is.")
}

// Look is a review as it is now. A decision in it is written down as read.
func (d *Desk) Look(ctx context.Context, reviewID string) (Review, error) {
	of, err := subjectOf(reviewID)
	if err != nil {
		return Review{}, err
	}
	s, snap, err := d.View(ctx)
	if err != nil {
		return Review{}, err
	}
	return d.seen(ctx, s, snap, of, d.polls(reviewID))
}

// Read writes down that the agent has read the decision on a review.
func (d *Desk) Read(ctx context.Context, reviewID string) error {
	of, err := subjectOf(reviewID)
	if err != nil {
		return err
	}
	s, snap, err := d.View(ctx)
	if err == nil {
		d.fetch(ctx, s, snap, of)
	}
	return err
}

// seen is a review as of a snapshot. Who reads a decision is written down: anyone who wants to take it back is told.
func (d *Desk) seen(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject, polls int) (Review, error) {
	r, err := d.review(ctx, s, snap, of)
	if err != nil {
		return Review{}, told(err)
	}
	if r.Decided() && !d.peeks {
		snap = d.fetch(ctx, s, snap, of)
	}
	d.advise(&r, snap, polls)
	return r, nil
}

// fetch writes down that a decision was read. That it could not be written changes nothing about the decision:
// the next to read it does.
func (d *Desk) fetch(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject) *snapshot.Snapshot {
	op := model.Op{Name: model.FetchVerdict, UID: of.uid}
	if of.request != "" {
		q, err := FindRequest(snap, of.request)
		if err != nil || q.Answer == nil || q.Answer.FetchedBy != "" {
			return snap
		}
		op = model.Op{Name: model.FetchAnswer, Args: model.RequestRef{Request: q.ID}}
		if _, ok := snap.Task(q.TaskUID); ok {
			op.UID = q.TaskUID
		}
	} else {
		t, ok := snap.Task(of.uid)
		if !ok || t.Status.Review == nil || t.Status.Review.FetchedBy != "" || t.Status.Review.Of != of.kind || t.Status.Review.Revision != of.revision {
			return snap
		}
	}
	if s.ReadOnly() != "" {
		return snap
	}
	applied, err := d.do(ctx, s, op)
	if err != nil {
		return snap
	}
	return applied.Snapshot
}

// review is what a snapshot says of a subject, without what is to be done about it.
func (d *Desk) review(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject) (Review, error) {
	switch of.kind {
	case KindPlan:
		return planReview(ctx, s, snap, of)
	case KindWork:
		return d.workReview(ctx, s, snap, of)
	}
	w := Awaited{Requests: []string{of.request}}
	if _, err := FindRequest(snap, of.request); err != nil {
		if _, refresh := s.Head(ctx); refresh != nil {
			return Review{}, refresh
		}
		return Review{ReviewID: of.request, Kind: KindQuestion, State: StateOrphaned}, nil
	}
	c, _ := w.In(snap)
	return requestReview(snap, c.Request, d.o.Now()), nil
}

// planReview is the verdict on a plan.
func planReview(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject) (Review, error) {
	r := Review{ReviewID: PlanReviewID(of.uid, of.revision), TaskID: string(of.uid), Kind: KindPlan, Version: of.revision, State: StatePending}
	t, ok := snap.Task(of.uid)
	if !ok {
		r.State = StateOrphaned
		return r, nil
	}
	r.Task, r.Title = t.Config.Name, fmt.Sprintf("Plan %d of %s", of.revision, t.Config.Name)
	if of.revision > t.Status.PlanRevision {
		return r, problem(CodeNotFound, fmt.Sprintf("%q has %d revisions of its plan, but no revision %d", visible.Line(r.Task), t.Status.PlanRevision, of.revision),
			"Read the task again with task_get, include plan.")
	}
	w := Awaited{UID: of.uid, Revision: of.revision}
	c, _ := w.In(snap)
	c, err := StillHolds(ctx, s, snap, c)
	if err != nil {
		return r, err
	}
	v := c.Verdict
	r.Text, r.By, r.At = v.Text, v.By, v.At
	switch {
	case c.How == Gone && v.State == "changed":
		r.State = StateChanged
	case c.How == Gone:
		r.State, r.Text = StateSuperseded, c.Text
		if said, err := ReviewOf(ctx, s, snap, of.uid, of.revision); err == nil && said.Verdict == model.VerdictRejected {
			r.Text, r.By, r.At = said.Reason, said.By, said.At // what was said about it still counts for the next
		}
		return r, nil
	case c.How == Yes:
		r.State = StateAccepted
	case c.How == No:
		r.State = StateRejected
	default:
		r.Text, r.By, r.At = "", "", nil
	}
	return r, r.remarks(ctx, s, snap, of)
}

// remarks adds the comments on a plan, and what was left out of it.
func (r *Review) remarks(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject) error {
	said, err := ReviewOf(ctx, s, snap, of.uid, of.revision)
	var no *model.Refusal
	switch {
	case errors.As(err, &no) && no.Code == model.CodeNotFound: // nobody has said anything
		return nil
	case err != nil:
		return err
	}
	r.Feedback, r.Excluded = said.Comments, said.leftOutWords
	if r.State == StateRejected && said.Open > 0 || r.State == StateRejected && said.Verdict == model.VerdictAsked {
		r.State = StateChanges
	}
	return nil
}

// workReview is the verdict on work that was done by a plan.
func (d *Desk) workReview(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of subject) (Review, error) {
	r := Review{ReviewID: WorkReviewID(of.uid, of.revision), TaskID: string(of.uid), Kind: KindWork, Version: of.revision, State: StatePending}
	t, ok := snap.Task(of.uid)
	if !ok {
		r.State = StateOrphaned
		return r, nil
	}
	r.Task, r.Title = t.Config.Name, "Work on "+t.Config.Name
	st := &t.Status
	if st.PlanRevision == of.revision {
		r.Report = ReportOn(ctx, s, t, maxResult)
	}
	if v := st.Review; v != nil && v.Of == KindWork && v.Revision == of.revision {
		r.State, r.By, r.At, r.Text = StateRejected, string(v.By), TimeOrNil(v.At), v.Reason
		if v.Verdict == model.VerdictAccepted {
			r.State = StateAccepted
		}
		return r, r.remarks(ctx, s, snap, of)
	}
	switch {
	case st.PlanRevision != of.revision:
		r.State, r.Text = StateSuperseded, fmt.Sprintf("the plan is now at revision %d", st.PlanRevision)
	case st.CurrentState == model.Completed:
	case st.CurrentState == model.Working && st.CurrentRun != "" && st.CurrentRun == d.o.Run:
		r.State = StateVerifying
	case st.CurrentState == model.Working:
		r.Text = "the work is running"
	default:
		r.State, r.Text = StateSuperseded, "the task is "+strings.ReplaceAll(string(st.CurrentState), "_", " ")
		if st.ErrorDetails != "" {
			r.Text += ": " + st.ErrorDetails
		}
	}
	return r, nil
}

// requestReview is what a person decided on a request.
func requestReview(snap *snapshot.Snapshot, q *model.Request, now time.Time) Review {
	r := Review{ReviewID: q.ID, TaskID: string(q.TaskUID), Kind: q.Kind, Title: q.Title, Args: bytes.Clone(q.Args)}
	if t, ok := snap.Task(q.TaskUID); ok {
		r.Task = t.Config.Name
	}
	switch q.StateAt(now) {
	case model.RequestAccepted:
		r.State = StateAccepted
	case model.RequestEdited:
		r.State = StateEdited
	case model.RequestResponded:
		r.State = StateAnswered
	case model.RequestDenied:
		r.State = StateDenied
	case model.RequestSuperseded:
		r.State = StateSuperseded
	case model.RequestExpired:
		r.State = StateExpired
	default:
		r.State = StatePending
	}
	a := q.Answer
	if a == nil || !r.Decided() {
		return r
	}
	r.Text, r.Choice, r.By, r.At, r.Late = a.Text, a.Choice, string(a.By), TimeOrNil(a.At), a.Late
	if r.State == StateEdited {
		r.Args = bytes.Clone(a.Args)
	}
	return r
}
