package gitinternal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"vespe/interop/records"
	"vespe/model"
)

// The external_ids of an object that vespe has written: whose task, which run, which entry of the history.
const (
	taskID = "vespe_task"
	runID  = "vespe_run"
	opID   = "vespe_op"
)

// leaving is a task on its way to the objects that it is there.
type leaving struct {
	ctx    context.Context //nolint:containedctx // of one export
	s      records.Source
	report *records.Report
	x      records.Expanding
	task   string // digits
	kept   bundle

	events    []model.Event
	runs      []model.Run // those that did not come from there
	revisions []revision
	out       []model.Extra
}

// revision is one of a task's plans and the object that it is.
type revision struct {
	n     int
	id    string // digits
	first time.Time
}

// expand writes a task with the objects that it came with and with those of what was done here.
func expand(ctx context.Context, s records.Source, x records.Expanding, report *records.Report) ([]model.Extra, error) {
	record := bare(x.Record)
	kept := objectsOf(x.Kept)
	if x.Kept != nil && sameBut(record, bare(x.Kept), "updated_at", "checksum") {
		record = bare(x.Kept) // an import is no change of what came
	}
	if isLoose(x.Record) {
		return appendFields(nil, kept), nil
	}
	l := &leaving{ctx: ctx, s: s, report: report, x: x}
	l.task, _ = uuid(text(record, "object_id"))
	l.kept = newBundle(l.task, kept)
	if err := l.look(); err != nil {
		return nil, err
	}
	if err := l.plans(); err != nil {
		return nil, err
	}
	ids := runIDs(record)
	for _, r := range l.runs {
		if err := l.run(r); err != nil {
			return nil, err
		}
		ids = append(ids, dashed(l.runID(r)))
	}
	l.decisions()
	if len(l.runs) > 0 {
		status, _ := record.Get("status")
		record = record.Without("status").With(model.ListField("runs", ids)).With(model.ExtraField{Key: "status", Value: status})
		record = seal(record)
	}
	return appendFields(append([]model.Extra{record}, l.out...), kept), nil
}

// sameBut compares two records without some of their members.
func sameBut(a, b model.Extra, members ...string) bool {
	for _, m := range members {
		a, b = a.Without(m), b.Without(m)
	}
	return model.SameJSON(model.EncodeFields(a), model.EncodeFields(b))
}

func appendFields(out []model.Extra, objects []object) []model.Extra {
	for _, o := range objects {
		out = append(out, o.fields)
	}
	return out
}

func (l *leaving) uid() model.UID { return l.x.View.Task.UID }

func (l *leaving) lacks(what string) { l.report.Count(what, text(l.x.Record, "object_id")) }

// look reads what the store has of a task beside its texts.
func (l *leaving) look() error {
	st := &l.x.View.Task.Status
	all, err := l.s.Runs(l.ctx, l.uid())
	if err != nil {
		return fmt.Errorf("the runs of %s: %w", l.uid(), err)
	}
	for _, r := range all {
		if !slices.ContainsFunc(l.kept.runs(), func(o *object) bool { return runDir(o.id) == r.ID }) {
			l.runs = append(l.runs, r)
		}
	}
	if st.PlanRevision == 0 && len(l.runs) == 0 {
		return nil
	}
	events, _, err := l.s.History(l.ctx, l.uid())
	if err != nil {
		return fmt.Errorf("the history of %s: %w", l.uid(), err)
	}
	l.events = events
	return nil
}

// derived is the id of an object that vespe makes of something of a task: always the same.
func (l *leaving) derived(at time.Time, words ...string) string {
	return strings.TrimPrefix(string(records.HashUID(at, append([]string{key, string(l.uid())}, words...)...)), "tsk-")
}

func (l *leaving) head(typ, id string, created, updated time.Time, by model.Actor, external ...any) model.Extra {
	return head(typ, dashed(id), created, updated, by, append(members(taskID, string(l.uid())), members(external...)...))
}

// add writes an object of a head and its own members.
func (l *leaving) add(head model.Extra, pairs ...any) {
	l.out = append(l.out, seal(append(head, members(pairs...)...)))
}

// ofRun is the head of an object that belongs to a run.
func (l *leaving) ofRun(typ, id string, r model.Run, by model.Actor) model.Extra {
	return l.head(typ, id, r.Started, r.Ended, by, runID, r.ID)
}

// plans writes the revisions of the plan that did not come from there.
func (l *leaving) plans() error {
	t := l.x.View.Task
	texts := map[string]string{} // of plans that came from there
	for _, p := range l.kept.plans() {
		texts[planText(p.fields)] = p.id
	}
	previous := ""
	for n := 1; n <= t.Status.PlanRevision; n++ {
		c, err := l.s.Revision(l.ctx, l.uid(), model.Plan, n)
		if errors.Is(err, model.ErrNoContent) {
			l.lacks("missing revisions of plans are not exported")
			continue
		}
		if err != nil {
			return fmt.Errorf("the plan of %s, revision %d: %w", l.uid(), n, err)
		}
		at, by := l.made(n)
		r := revision{n: n, id: texts[string(c.Body)], first: at}
		if r.id == "" {
			r.id = l.derived(at, "plan", fmt.Sprint(n))
			hash := strings.TrimPrefix(model.HashBytes(c.Body), "sha256-")
			l.add(planFields(l.head("plan", r.id, at, at, by, "vespe_revision", fmt.Sprint(n), "vespe_sha256", hash), string(c.Body), previous))
		}
		previous = r.id
		l.revisions = append(l.revisions, r)
	}
	return nil
}

// made is when a revision of the plan came to be, and by whom.
func (l *leaving) made(n int) (time.Time, model.Actor) {
	for _, e := range l.events {
		member := "plan_revision"
		if e.Name == model.DefinePlan {
			member = "revision"
		}
		if detail(e, member) == fmt.Sprint(n) {
			return e.At, e.Actor
		}
	}
	c := &l.x.View.Task.Config
	return c.CreatedAt, c.CreatedBy
}

func detail(e model.Event, name string) string {
	for _, f := range e.Details {
		if f.Key == name {
			return f.Text()
		}
	}
	return ""
}

// planAt is the plan that held at a time: the one that was accepted last, else the newest.
func (l *leaving) planAt(at time.Time) string {
	accepted, newest := "", ""
	for _, e := range l.events {
		if e.Name == model.AcceptPlan && !e.At.After(at) {
			accepted = detail(e, "revision")
		}
	}
	for _, r := range l.revisions {
		if fmt.Sprint(r.n) == accepted {
			return r.id
		}
		if !r.first.After(at) {
			newest = r.id
		}
	}
	return newest
}

// verdicts are the events that become decisions, and of which type. Types that git-internal does not name are
// any text there.
func verdict(n model.Name) string {
	switch n {
	case model.ReviewAccepted:
		return "commit"
	case model.ReviewRejected, model.Retry, model.Reopen:
		return "retry"
	case model.Abort:
		return "abandon"
	case model.AcceptPlan, model.RejectPlan, model.Revalidate, model.Replan, model.Skip, model.AnswerRequest, model.UndoVerdict:
		return string(n)
	}
	return ""
}

// decisions writes what was decided about the task: who, when, and by which bytes. There a decision is one about
// a run.
func (l *leaving) decisions() {
	for _, e := range l.events {
		typ := verdict(e.Name)
		if typ == "" || e.Actor == system {
			continue
		}
		run := l.runFor(e)
		if run == nil {
			l.lacks("decisions without a run are not exported")
			continue
		}
		external := []any{runID, run.ID, model.TextField(opID, e.OpID)}
		for _, k := range []string{"approval", "level", "revision", "plan_sha256"} {
			external = append(external, "vespe_"+k, detail(e, k))
		}
		patch, result, why := "", "", e.Summary
		if l.hasPatch(*run) && (e.Name == model.ReviewAccepted || e.Name == model.ReviewRejected) {
			patch = dashed(l.patchID(*run))
		}
		if p := run.Report; p != nil && e.Name == model.ReviewAccepted {
			result, _ = commit(cmp.Or(p.Integrated, p.Result))
		}
		if e.Reason != "" {
			why = strings.TrimSpace(why + "\n\n" + e.Reason)
		}
		l.add(l.head("decision", l.derived(e.At, "decision", e.File), e.At, e.At, e.Actor, external...),
			"run_id", dashed(l.runID(*run)), "decision_type", typ, "chosen_patchset_id", patch,
			"result_commit_sha", result, "rationale", why)
	}
}

// runFor is the run that a decision is about: what was decided about a plan goes before the run that followed
// it, all else behind the one that it came after.
func (l *leaving) runFor(e model.Event) *model.Run {
	var before, after *model.Run
	for i := range l.runs {
		r := &l.runs[i]
		if !r.Started.After(e.At) {
			before = r
		}
		if !r.Started.Before(e.At) && after == nil { // within one millisecond it is both
			after = r
		}
	}
	if slices.Contains([]model.Name{model.AcceptPlan, model.RejectPlan, model.Revalidate}, e.Name) {
		return cmp.Or(after, before)
	}
	return cmp.Or(before, after)
}

// base is the last element of a path, as the name of a tool.
func base(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }
