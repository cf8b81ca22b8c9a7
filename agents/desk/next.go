package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/guidelines"
	"vespe/model/lifecycle"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// Want says which work an agent asks for.
type Want struct {
	TaskID string `json:"task_id,omitempty" jsonschema:"only this task"`
	Claim  bool   `json:"claim,omitempty" jsonschema:"claim the task: others leave it alone, and you must report on it"`
	Filter string `json:"filter,omitempty" jsonschema:"only matching tasks, such as under:UID label:parser priority:high"`
	Key    string `json:"key,omitempty" jsonschema:"idempotency key of a claim: the same key returns the same task"`
}

// Next is what an agent is to do next.
type Next struct {
	Task       *TaskView `json:"task,omitempty" jsonschema:"the task to work on, or to write a plan for; absent where there is none"`
	Do         string    `json:"do" jsonschema:"work (its plan is accepted), plan (it needs one), wait (a person has to decide first) or nothing"`
	Claimed    bool      `json:"claimed" jsonschema:"it is yours now"`
	Run        string    `json:"run,omitempty" jsonschema:"the run that the claim began"`
	Yours      []Row     `json:"yours,omitempty" jsonschema:"tasks that you, or another session of yours, have claimed already"`
	Review     *Review   `json:"review,omitempty" jsonschema:"what a person has to decide before the task may be started"`
	WhyBlocked []Blocked `json:"why_blocked,omitempty" jsonschema:"why nothing is ready"`
	Guidelines string    `json:"guidelines,omitempty" jsonschema:"the project's own, for plans and work"`
	NextAction string    `json:"next_action" jsonschema:"what to do now; follow it"`
}

// Blocked is why a task cannot be worked on.
type Blocked struct {
	TaskID string `json:"task_id,omitempty"`
	Task   string `json:"task,omitempty"`
	Status string `json:"status,omitempty"`
	Why    string `json:"why"`
}

// What Next.Do says.
const (
	DoWork    = "work"
	DoPlan    = "plan"
	DoWait    = "wait"
	DoNothing = "nothing"
)

const (
	maxBlocked = 10 // reasons why nothing is ready
	maxClaims  = 50 // tasks that are tried to be claimed
)

// Next is the task to work on next: the first that is ready, else one that needs a plan. With Claim it is
// started, by the same transition as everywhere: of a task whose risk asks for a person one is asked, and the next is
// tried. Nothing that is started is given to anybody else.
func (d *Desk) Next(ctx context.Context, w Want) (Next, error) {
	filter, err := snapshot.ParseFilter(w.Filter)
	if err == nil {
		err = checkKey(w.Key)
	}
	if err != nil {
		return Next{}, told(err)
	}
	if w.TaskID != "" || d.o.Run != "" {
		return d.nextOf(ctx, w)
	}
	s, snap, err := d.View(ctx)
	if err != nil {
		return Next{}, err
	}
	n := Next{Do: DoNothing, Yours: d.yours(snap)}
	if w.Claim && w.Key != "" {
		again, done, err := d.claimed(ctx, s, snap, n.Yours, w.Key)
		if done || err != nil {
			return again, told(err)
		}
	}
	if filter, err = snap.Bind(filter); err != nil {
		return n, told(err)
	}
	ready := matching(snap, filter, schedule.Next(snap, -1))
	if !w.Claim && len(ready) > 0 {
		return d.offer(ctx, s, snap, n, int(ready[0]), DoWork)
	}
	for k, i := range ready {
		if k == maxClaims {
			break
		}
		if n.Review != nil && lifecycle.NeedsConsent(snap, snap.UID(int(i))) {
			continue // one question at a time
		}
		began, run, review, err := d.start(ctx, s, snap, snap.UID(int(i)), w.Key)
		switch {
		case err != nil && !passes(err):
			return n, told(err)
		case err != nil:
			n.block(snap, int(i), told(err))
		case review != nil && !review.Waits():
			n.block(snap, int(i), problem(CodeDenied, fmt.Sprintf("a person did not allow the start (%s, %s): %s", review.ReviewID, review.State, visible.Line(review.Text)), ""))
		case review != nil && n.Review == nil:
			n.Review = review
		case review != nil:
		default:
			k, _ := began.Index(snap.UID(int(i)))
			n.Claimed, n.Run = true, run
			return d.offer(ctx, s, began, n, k, DoWork)
		}
	}
	if list := matching(snap, filter, d.standing(snap).plan); len(list) > 0 {
		return d.offer(ctx, s, snap, n, int(list[0]), DoPlan)
	}
	n.rest(snap, filter)
	return n, nil
}

// nextOf is Next for one task that is named, or that the worker of a run works on.
func (d *Desk) nextOf(ctx context.Context, w Want) (Next, error) {
	s, snap, t, err := d.ViewTask(ctx, w.TaskID)
	if err != nil {
		return Next{}, err
	}
	i, _ := snap.Index(t.UID)
	st := &t.Status
	n := Next{Do: DoNothing}
	switch status := snap.Status(i); {
	case st.CurrentRun != "" && (st.AssignedAgentUID == d.o.Actor || st.CurrentRun == d.o.Run):
		n.Claimed, n.Run = true, st.CurrentRun
		do := DoWork
		if status != model.StatusRunning {
			do = DoWait
		}
		n, err := d.offer(ctx, s, snap, n, i, do)
		if d.o.Run == "" {
			n.NextAction = fmt.Sprintf("%s, you or another session of yours, has claimed it. Continue only if this session claimed it. %s", d.o.Actor, n.NextAction)
		}
		return n, err
	case w.Claim && d.o.Run != "" && t.UID != model.UID(d.o.Task):
		return n, problem(CodeDenied, "a worker of the loop works on the task of its run, and on no other", "Do only what your own task's plan says.")
	case w.Claim:
		began, run, review, err := d.start(ctx, s, snap, t.UID, w.Key)
		if err != nil {
			return n, told(err)
		}
		if n.Review = review; review != nil {
			return d.offer(ctx, s, snap, n, i, DoWait)
		}
		n.Claimed, n.Run = true, run
		i, _ = began.Index(t.UID)
		return d.offer(ctx, s, began, n, i, DoWork)
	case status == model.StatusReady:
		return d.offer(ctx, s, snap, n, i, DoWork)
	case needsPlan(status):
		return d.offer(ctx, s, snap, n, i, DoPlan)
	}
	n.block(snap, i, nil)
	return d.offer(ctx, s, snap, n, i, DoWait)
}

// start begins a task. review is what a person was asked where one has to allow it first.
func (d *Desk) start(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uid model.UID, key string) (*snapshot.Snapshot, string, *Review, error) {
	op := model.Op{Name: model.Start, UID: uid}
	if key != "" {
		op.ID = d.startID(key, uid)
	}
	applied, err := d.do(ctx, s, op)
	if err == nil && applied.Replayed && !runs(applied, uid) && key != "" {
		op.ID += ".go" // with the other a person was asked; who has allowed it so far
		applied, err = d.do(ctx, s, op)
	}
	var no *model.Refusal
	if errors.As(err, &no) && no.Guard == model.GuardConsent {
		if t, ok := snap.Task(uid); ok {
			if q, ok := snap.Keyed(uid, lifecycle.ConsentKey(t)); ok { // it was asked before
				r, err := d.seen(ctx, s, snap, subject{request: q.ID}, 0)
				return nil, "", &r, err
			}
		}
	}
	if err != nil {
		return nil, "", nil, err
	}
	if c := applied.Change; c != nil && c.Waits {
		r, err := d.seen(ctx, s, applied.Snapshot, subject{request: c.Request}, 0)
		return nil, "", &r, err
	}
	t, ok := applied.Snapshot.Task(uid)
	if !ok || !runs(applied, uid) {
		return nil, "", nil, problem(CodeStale, "the task was started, but is no longer running", orders[CodeStale])
	}
	return applied.Snapshot, t.Status.CurrentRun, nil, nil
}

// startID is the id of a claim with a key.
func (d *Desk) startID(key string, uid model.UID) string {
	return opID("start", string(d.o.Actor), key, string(uid))
}

// runs reports that a task has a run under way since an operation.
func runs(a snapshot.Applied, uid model.UID) bool {
	t, ok := a.Snapshot.Task(uid)
	return ok && t.Status.CurrentRun != ""
}

// claimed is the task that was claimed under a key before, and is worked on; done is false where none was.
func (d *Desk) claimed(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, yours []Row, key string) (n Next, done bool, err error) {
	for _, r := range yours {
		uid := model.UID(r.ID)
		for _, id := range []string{d.startID(key, uid), d.startID(key, uid) + ".go"} {
			// Without a task it is refused, unless its id was used before.
			applied, err := d.do(ctx, s, model.Op{ID: id, Name: model.Start})
			if err == nil && applied.Replayed {
				i, _ := snap.Index(uid)
				n, err = d.offer(ctx, s, snap, Next{Claimed: true, Run: r.Run, Yours: yours}, i, DoWork)
				return n, err == nil, err
			}
			if err = unlessUnknown(err); err != nil {
				return n, false, err
			}
		}
	}
	return n, false, nil
}

// offer is a task to be worked on, or not.
func (d *Desk) offer(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, n Next, i int, do string) (Next, error) {
	snap, t := d.read(ctx, s, snap, snap.At(i))
	v, err := d.view(ctx, s, snap, t, usual())
	if err != nil {
		return n, told(err)
	}
	n.Task, n.Do, n.NextAction = &v, do, v.NextAction
	n.Guidelines = s.QuotedGuidelines(ctx, guidelines.InAnswer)
	if n.Review != nil && do == DoWait {
		n.NextAction = "A person must allow the start first, and was asked. " + n.Review.NextAction
	}
	if n.Claimed && do == DoWork {
		n.NextAction = fmt.Sprintf("You have claimed it. Do exactly what the accepted plan says, and nothing else. If a person must decide something, call ask_human. When it is done and checked, call task_report with id %q and rev %d.", v.ID, v.Rev)
		if d.o.Run != "" {
			n.NextAction = fmt.Sprintf("You have claimed it. Do exactly what the accepted plan says, and nothing else. When it is done, call task_report with id %q, and stop: the loop checks it.", v.ID)
		}
	}
	return n, nil
}

// standing is what a walk over all tasks of a snapshot says. It is kept for the next call: snapshots never change.
type standing struct {
	of    *snapshot.Snapshot
	yours []int32 // tasks that the actor works on
	plan  []int32 // tasks that need a plan, the first one first
}

// standing is that of a snapshot.
func (d *Desk) standing(snap *snapshot.Snapshot) *standing {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.walked == nil || d.walked.of != snap {
		d.walked = &standing{of: snap, plan: wantPlans(snap)}
		for i := range snap.Len() {
			if !snap.HasRun(i) {
				continue
			}
			if st := &snap.Peek(i).Status; st.CurrentRun != "" && st.AssignedAgentUID == d.o.Actor {
				d.walked.yours = append(d.walked.yours, int32(i))
			}
		}
	}
	return d.walked
}

// yours are the tasks that the actor works on.
func (d *Desk) yours(snap *snapshot.Snapshot) []Row {
	var out []Row
	for _, i := range d.standing(snap).yours {
		out = append(out, rowOf(snap, int(i)))
	}
	return out
}

// matching are those of some tasks that a filter selects.
func matching(snap *snapshot.Snapshot, f snapshot.Filter, list []int32) []int32 {
	if f.Empty() {
		return list
	}
	var out []int32
	for _, i := range list {
		if snap.Match(f, int(i)) {
			out = append(out, i)
		}
	}
	return out
}

// passes reports a refusal of one task that says nothing about the next.
func passes(err error) bool {
	var no *model.Refusal
	return errors.As(err, &no) && no.Code != model.CodeNotDurable && no.Guard != "lock" && no.Guard != "writable" && no.Guard != "store"
}

func needsPlan(st model.Status) bool {
	return st == model.StatusReplan || st == model.StatusPlanning || st == model.StatusCreated
}

// wantPlans are the tasks that need a plan: what was sent back first, then by priority and age. A task that only
// gathers others is planned by them.
func wantPlans(snap *snapshot.Snapshot) []int32 {
	type place struct{ i, rank int32 }
	var all []place
	for i := range snap.Len() {
		st := snap.Status(i)
		if !needsPlan(st) || len(snap.Children(i)) > 0 && !snapshot.HasPhases(snap, i) {
			continue
		}
		t := snap.Peek(i)
		if t.PlannedWithParent() {
			continue
		}
		rank := model.Priority("").Rank()
		if t.Spec != nil {
			rank = t.Spec.Priority.Rank()
		}
		if t.Status.PlanRevision == 0 {
			rank += 10
		}
		if st == model.StatusCreated {
			rank += 10
		}
		all = append(all, place{int32(i), int32(rank)})
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]int32, len(all))
	for k := range all {
		out[k] = all[k].i
	}
	return out
}

func (n *Next) block(snap *snapshot.Snapshot, i int, err error) {
	uid := string(snap.UID(i))
	if len(n.WhyBlocked) == maxBlocked || slices.ContainsFunc(n.WhyBlocked, func(b Blocked) bool { return b.TaskID == uid }) {
		return
	}
	b := Blocked{TaskID: uid, Task: snap.Name(i), Status: snap.Status(i).String()}
	var e *Error
	switch {
	case errors.As(err, &e):
		b.Why = e.Message
	case n.Review != nil && snap.Status(i) == model.StatusReady:
		b.Why = "a person must allow its start"
	default:
		b.Why = cmp.Or(strings.Join(whyLines(snap, i), "; "), snap.Over(i), visible.Line(snap.WaitsFor(i)))
	}
	n.WhyBlocked = append(n.WhyBlocked, b)
}

// rest says why nothing is ready.
func (n *Next) rest(snap *snapshot.Snapshot, f snapshot.Filter) {
	for _, d := range schedule.Of(snap).Deadlocks() {
		if len(n.WhyBlocked) == maxBlocked {
			break
		}
		n.WhyBlocked = append(n.WhyBlocked, Blocked{Why: visible.Line(d.Text + "; " + d.Hint)})
	}
	open, waits := 0, 0
	for i := range snap.Len() {
		if !f.Empty() && !snap.Match(f, i) {
			continue
		}
		switch snap.Status(i) {
		case model.StatusDone, model.StatusFailed, model.StatusAborted:
			continue
		case model.StatusReviewPlan, model.StatusReviewWork, model.StatusWaiting, model.StatusChanged, model.StatusError:
			waits++
		}
		open++
		n.block(snap, i, nil)
	}
	switch {
	case n.Review != nil:
		n.Do, n.NextAction = DoWait, "Nothing may start until a person allows it. "+n.Review.NextAction
	case open == 0:
		n.NextAction = "There is nothing to do. End your turn and say so."
	case waits > 0:
		waiting := fmt.Sprintf("%d tasks wait", waits)
		if waits == 1 {
			waiting = "1 task waits"
		}
		n.Do, n.NextAction = DoWait, "Nothing is ready: "+waiting+" for a person. Do not start anything. End your turn and say so."
	case len(n.Yours) > 0:
		n.NextAction = "Nothing else is ready. Finish your own work, if this session started it."
	default:
		n.NextAction = "Nothing is ready; why_blocked says why. Do not start anything. End your turn and say so."
	}
}
