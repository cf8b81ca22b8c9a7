package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// The parts of a task that Task can be asked for.
const (
	IncludeObjective    = "objective"
	IncludePlan         = "plan"
	IncludeCriteria     = "criteria"
	IncludeDetails      = "details"
	IncludeFeedback     = "feedback"
	IncludeRequests     = "requests"
	IncludeRuns         = "runs"
	IncludeDependencies = "dependencies"
	IncludeResults      = "results"
)

// Includes are all parts of a task that can be asked for.
func Includes() []string {
	return []string{
		IncludeObjective, IncludePlan, IncludeCriteria, IncludeDetails, IncludeFeedback, IncludeRequests, IncludeRuns, IncludeDependencies, IncludeResults,
	}
}

// usual are the parts that are given where none is named.
func usual() []string {
	return []string{IncludeObjective, IncludePlan, IncludeCriteria, IncludeDetails, IncludeFeedback}
}

// The bounds of what Task gives. Files can be read where they lie.
const (
	maxShown    = 256 << 10 // bytes of a document
	maxResult   = 4 << 10   // of the text of a result file
	maxResults  = 200       // files
	maxRelated  = 200       // tasks of each kind
	maxReports  = 50        // of them with what was reported of their work
	maxRuns     = 20        // the last
	maxRequests = 20        // the last that were answered
	maxWhy      = 12        // lines
)

// Show is a task with the parts that are named in include, or the usual ones. It writes nothing.
func (d *Desk) Show(ctx context.Context, id string, include ...string) (TaskView, error) {
	if len(include) == 0 {
		include = usual()
	}
	for _, part := range include {
		if !slices.Contains(Includes(), part) {
			return TaskView{}, problem(CodeInvalid, fmt.Sprintf("a task has no part %q", visible.Line(part)), "Use "+strings.Join(Includes(), ", ")+".")
		}
	}
	s, snap, t, err := d.ViewTask(ctx, id)
	if err != nil {
		return TaskView{}, err
	}
	v, err := d.view(ctx, s, snap, t, include)
	return v, told(err)
}

// read writes down that the verdict on a task was read, and gives the task as it is then: to read a decision is a revision
// of it.
func (d *Desk) read(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task) (*snapshot.Snapshot, *model.Task) {
	now := snap
	if of := reviewed(t); of.kind != "" {
		now = d.fetch(ctx, s, now, of)
	}
	if fresh, ok := now.Task(t.UID); ok {
		return now, fresh
	}
	return snap, t
}

// view is a task with some of its parts.
func (d *Desk) view(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task, include []string) (TaskView, error) {
	i, _ := snap.Index(t.UID)
	v := TaskView{Row: rowOf(snap, i), Report: ReportOn(ctx, s, t, MaxText), Error: t.Status.ErrorDetails, Attempts: t.Status.RetryCount}
	v.Why = whyLines(snap, i)
	if p := t.Status.AcceptedPlan; p != nil {
		v.Excluded = leftOutOf(t, p.PlanRevision)
	}
	for _, part := range include {
		if err := d.part(ctx, s, snap, t, part, &v); err != nil {
			return v, err
		}
	}
	v.NextAction = d.adviseTask(snap, i)
	return v, nil
}

// whyLines are the reasons why a task does not continue, at most so many that an agent reads them.
func whyLines(snap *snapshot.Snapshot, i int) (lines []string) {
	reasons := snap.Why(i)
	for k, r := range reasons {
		if k == maxWhy {
			return append(lines, fmt.Sprintf("and %d more", len(reasons)-k))
		}
		lines = append(lines, visible.Line(r.Text))
	}
	return lines
}

// part adds one part of a task.
func (d *Desk) part(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task, part string, v *TaskView) (err error) {
	i, _ := snap.Index(t.UID)
	switch part {
	case IncludeObjective:
		v.Objective, err = document(ctx, s, snap, t, model.Objective)
	case IncludePlan:
		v.Plan, err = document(ctx, s, snap, t, model.Plan)
	case IncludeCriteria:
		v.Criteria = criteriaOf(t)
	case IncludeDetails:
		v.Details = detailsOf(snap, i)
	case IncludeFeedback:
		v.Feedback, err = d.feedback(ctx, s, snap, t)
	case IncludeRequests:
		v.Requests = d.requests(snap, t.UID)
	case IncludeRuns:
		v.Runs, err = runsOf(ctx, s, t.UID)
	case IncludeDependencies:
		d.related(ctx, s, snap, i, v)
	case IncludeResults:
		v.Results = results(ctx, s, snap, t)
	}
	return err
}

// document is a text of a task; nil where there is none. Of a plan that a person accepted these are the bytes that
// were accepted, as long as they are what lies there.
func document(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task, doc model.Doc) (*Document, error) {
	c, err := s.Content(ctx, t.UID, doc)
	if errors.Is(err, model.ErrNoContent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Document{Version: c.Revision}
	if p := t.Status.AcceptedPlan; p != nil && snap.Lacks(t) == "" {
		out.Accepted = doc == model.Plan && p.PlanHash == c.Hash || doc == model.Objective && p.ObjectiveHash == c.Hash
	}
	body := c.Body
	if len(body) > maxShown {
		body = body[:maxShown]
		for len(body) > 0 && !utf8.RuneStart(c.Body[len(body)]) {
			body = body[:len(body)-1]
		}
		out.Cut = len(c.Body) - len(body)
	}
	out.Text = strings.ToValidUTF8(string(body), "\uFFFD")
	return out, nil
}

// reviewed is what of a task waits for a decision, or was decided on last: its plan, or the work by it.
func reviewed(t *model.Task) subject {
	st := &t.Status
	if st.PlanRevision == 0 {
		return subject{}
	}
	of := subject{kind: KindPlan, uid: t.UID, revision: st.PlanRevision}
	if st.CurrentState == model.Completed || st.Review != nil && st.Review.Of == KindWork && st.Review.Revision == st.PlanRevision {
		of.kind = KindWork
	}
	return of
}

// feedback is what people said about a plan and the work by it, and what they rejected before. A verdict in it is
// read by that.
func (d *Desk) feedback(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task) (*Feedback, error) {
	f := &Feedback{}
	if of := reviewed(t); of.kind != "" {
		r, err := d.review(ctx, s, snap, of) // read says that it was read
		if err != nil {
			return nil, err
		}
		d.advise(&r, snap, d.polls(r.ReviewID))
		f.Comments, r.Feedback = r.Feedback, nil
		r.Report = nil // the task has it
		if f.Comments == nil {
			if said, err := ReviewOf(ctx, s, snap, t.UID, of.revision); err == nil {
				f.Comments = said.Comments
			}
		}
		f.Review = &r
	}
	events, _, err := s.History(ctx, t.UID)
	if err != nil {
		return nil, err
	}
	moments := history.NewChronicle(t.UID, events).Moments
	for k := range events {
		e := &events[k]
		if moments[k].Undone || e.Name != model.RejectPlan && e.Name != model.ReviewRejected {
			continue
		}
		r := Rejection{Of: KindPlan, Version: e.Number("revision"), By: string(e.Actor), At: TimeOrNil(e.At), Reason: e.Reason}
		if e.Name == model.ReviewRejected {
			r.Of = KindWork
		}
		f.Rejected = append(f.Rejected, r)
	}
	return f, nil
}

// shownRequests are those about a task that wait, and the last that were answered, the newest first.
func shownRequests(snap *snapshot.Snapshot, uid model.UID) []*model.Request {
	var out []*model.Request
	all := snap.Requests()
	for i := len(all) - 1; i >= 0; i-- {
		if q := &all[i]; q.TaskUID == uid && (q.IsOpen() || len(out) < maxRequests) {
			out = append(out, q)
		}
	}
	return out
}

func (d *Desk) requests(snap *snapshot.Snapshot, uid model.UID) []Review {
	var out []Review
	for _, q := range shownRequests(snap, uid) {
		r := requestReview(snap, q, d.o.Now())
		d.advise(&r, snap, d.polls(r.ReviewID))
		out = append(out, r)
	}
	return out
}

func runsOf(ctx context.Context, s *store.Store, uid model.UID) ([]RunView, error) {
	all, err := s.Runs(ctx, uid)
	if err != nil {
		return nil, err
	}
	var out []RunView
	for _, r := range all[max(0, len(all)-maxRuns):] {
		v := RunView{ID: r.ID, Worker: string(r.Worker), Started: TimeOrNil(r.Started), Ended: TimeOrNil(r.Ended), Outcome: r.Outcome}
		if r.Report != nil {
			v.Why, v.Attempt, v.Verified = r.Report.Why, r.Report.Attempt, r.Report.Verified
		}
		out = append(out, v)
	}
	return out, nil
}

// related adds the tasks around a task.
func (d *Desk) related(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int, v *TaskView) {
	rows := func(list []int32) []Related {
		var out []Related
		for _, k := range list[:min(len(list), maxRelated)] {
			out = append(out, Related{Row: rowOf(snap, int(k)), Met: snap.Met(int(k))})
		}
		return out
	}
	v.Dependencies, v.Dependents, v.Subtasks = rows(snap.DependsOn(i)), rows(snap.Dependents(i)), rows(snap.Children(i))
	for _, list := range [][]Related{v.Dependencies, v.Subtasks} {
		for k := range list[:min(len(list), maxReports)] {
			if t, ok := snap.Task(model.UID(list[k].ID)); ok {
				list[k].Report = ReportOn(ctx, s, t, maxResult)
			}
		}
	}
	for k := range v.Dependents {
		v.Dependents[k].Met = false // that is said of what it waits for
	}
	for k := range v.Subtasks {
		v.Subtasks[k].Met = false
	}
}

// results are the files that a task left, and those of its dependencies. What cannot be read is left out.
func results(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, t *model.Task) []ResultFile {
	var out []ResultFile
	for _, uid := range append([]model.UID{t.UID}, t.DependsOn...) {
		of, ok := snap.Task(uid)
		if !ok {
			continue
		}
		files, err := s.Results(ctx, uid)
		if err != nil {
			continue
		}
		for _, f := range files {
			if len(out) == maxResults {
				return out
			}
			r := ResultFile{TaskID: string(uid), Task: of.Config.Name, Path: store.Name + "/tasks/" + string(uid) + "/result/" + f.Path, Size: f.Size}
			if b, err := s.ReadResult(ctx, uid, f.Path, 1<<20); err == nil && utf8.Valid(b) && !bytes.ContainsRune(b, 0) {
				r.Text = string(b)
				if len(b) > maxResult {
					r.Text = strings.ToValidUTF8(string(b[:maxResult]), "")
				}
			}
			out = append(out, r)
		}
	}
	return out
}

// acceptAgain is what to do with a task whose acceptance does not count here.
func acceptAgain(reason string) string {
	return "A person must accept its plan again: it " + visible.Line(reason) + ". Do not start it. Ask for other work with task_next."
}

// adviseTask says what to do with a task as it is.
func (d *Desk) adviseTask(snap *snapshot.Snapshot, i int) string {
	t := snap.At(i)
	st := &t.Status
	mine := st.AssignedAgentUID == d.o.Actor
	switch status := snap.Status(i); status {
	case model.StatusCreated:
		return fmt.Sprintf("It has no objective. Write a plan with plan_submit, task_id %q, base_version %d, and give the objective with it.", t.UID, st.PlanRevision)
	case model.StatusPlanning, model.StatusReplan:
		if t.PlannedWithParent() {
			return fmt.Sprintf("It needs no separate plan. Write the plan of its parent with plan_submit, task_id %q, and give the objective with it if it has none.", t.Config.ParentUID)
		}
		again := ""
		if st.PlanRevision > 0 {
			again = " Take feedback into account, and answer each open comment in responses."
		}
		return fmt.Sprintf("It needs a plan. Write one and call plan_submit with task_id %q and base_version %d.%s Change nothing in the project before it is accepted.", t.UID, st.PlanRevision, again)
	case model.StatusReviewPlan:
		if reason := snap.StatusReason(i); reason != "" {
			return acceptAgain(reason)
		}
		return fmt.Sprintf("Its plan waits for a person. Do not start it. Wait with review_wait, review_id %q, if the plan is yours.", PlanReviewID(t.UID, st.PlanRevision))
	case model.StatusReady:
		if st.AcceptedPlan.IsElsewhere() {
			return "Its files say that its plan was accepted, and no person has accepted it in vespe. Do not start it. Ask for other work with task_next."
		}
		return fmt.Sprintf("Its plan is accepted. Claim it with task_next, task_id %q, claim true, before you change anything.", t.UID)
	case model.StatusRunning:
		if mine || d.o.Run != "" && d.o.Run == st.CurrentRun {
			return fmt.Sprintf("You work on it. Do what the accepted plan says, and nothing else; then call task_report with id %q and rev %d.", t.UID, st.Revision)
		}
		return "Someone else works on it. Leave it alone, and ask for other work with task_next."
	case model.StatusWaiting:
		return "It waits for a person's answer. Do not work on it until then: see requests, and call review_wait for your question."
	case model.StatusReviewWork:
		return fmt.Sprintf("The work is reported and waits for a person. Change nothing. Wait with review_wait, review_id %q, if the work is yours.", WorkReviewID(t.UID, st.PlanRevision))
	case model.StatusBlocked, model.StatusPaused, model.StatusSubtasks:
		return "It can't be started now. The field why says what it waits for. Ask for other work with task_next."
	case model.StatusError:
		return "The last attempt failed; error says how. A person or the loop decides whether to retry. Ask for other work with task_next."
	case model.StatusChanged:
		return "It, or what it builds on, changed since it was accepted. A person must decide again. Do not work on it."
	case model.StatusProblem:
		return "Its files cannot be read. Do not touch them; tell the person to run `vespe store doctor`."
	default:
		return "There is nothing to do: it is " + status.String() + ". Ask for other work with task_next."
	}
}
