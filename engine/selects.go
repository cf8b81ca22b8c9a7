package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/runlog"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// begin starts what can be started now: ready tasks in the order of schedule.Next, those that
// somebody asked for first, as many as there are workers, none of which writes a file that another one
// writes. It says how many it started, and why not more.
func (l *Loop) begin(ctx context.Context, snap *snapshot.Snapshot) (began int, why []string) {
	if l.rounds.drain {
		return 0, []string{"the loop starts no more runs"}
	}
	if l.place.paused() {
		return 0, []string{"starting runs is paused"}
	}
	if why := l.together(ctx, snap); why != "" {
		return 0, []string{why}
	}
	if why := l.full(); why != "" { // whatever is ready
		return 0, []string{why}
	}
	busy := l.busy(snap)
	for _, i := range l.ready(snap) {
		t := snap.At(int(i))
		if why := l.full(); why != "" {
			return began, []string{why}
		}
		if rev, no := l.queue.refused[t.UID]; no && rev == t.Status.Revision || l.runs.of(t.UID) || waitsForParts(snap, t.UID) {
			continue
		}
		if of, no := l.queue.stopped[t.UID]; no && of == approvalOf(t) {
			why = append(why, fmt.Sprintf("the run of %s was canceled; `vespe run %s` starts another", t.Config.Name, t.UID.Short()))
			continue
		}
		if other, file := overlap(busy, t); file != "" {
			why = append(why, fmt.Sprintf("%s writes %s, as %s does", t.Config.Name, file, other))
			continue
		}
		if err := l.start(ctx, snap, t); err != nil {
			l.queue.refused[t.UID] = t.Status.Revision
			why = append(why, t.Config.Name+": "+err.Error())
			continue
		}
		busy.add(t)
		began++
	}
	return began, why
}

// full says why no more runs can begin, whatever is ready.
func (l *Loop) full() (why string) {
	switch {
	case len(l.runs.live) >= l.opt.Workers:
		return count(len(l.runs.live), "worker is", "workers are") + " busy"
	case l.opt.Max > 0 && l.sum.Started >= l.opt.Max:
		return count(l.sum.Started, "run was", "runs were") + " started, which is the limit"
	}
	return ""
}

// together looks again whether runs can begin, after the target and the integration branch did not go together.
func (l *Loop) together(ctx context.Context, snap *snapshot.Snapshot) (why string) {
	if l.target.apart == "" {
		return ""
	}
	if _, err := l.repo.Tip(ctx); err != nil {
		if err := l.askTarget(ctx, snap, apartKey, "", err.Error()); err != nil {
			l.tell(err.Error())
		}
		return l.target.apart
	}
	l.target.apart = ""
	l.settle(ctx, snap, apartKey, "")
	return ""
}

// waitsForParts reports that a task has open subtasks: what is to be done itself, if anything, comes after them.
func waitsForParts(snap *snapshot.Snapshot, uid model.UID) bool {
	for _, child := range snap.ChildUIDs(uid) {
		if c, ok := snap.Task(child); ok {
			switch c.Status.CurrentState {
			case model.Completed, model.Failed, model.Aborted:
			default:
				return true
			}
		}
	}
	return false
}

// ready are the tasks that could be started, the first to take at the front.
func (l *Loop) ready(snap *snapshot.Snapshot) []int32 {
	ready := schedule.Next(snap, -1)
	if len(l.queue.want) == 0 {
		return ready
	}
	var out []int32
	for _, uid := range l.queue.want {
		if i, ok := snap.Index(uid); ok && slices.Contains(ready, int32(i)) { //nolint:gosec // fewer tasks than that
			out = append(out, int32(i)) //nolint:gosec // as above
		}
	}
	if len(l.opt.Only) > 0 {
		return out
	}
	for _, i := range ready {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// busy are the files that running tasks write, with the name of the task: of this loop's runs, the
// waiting ones included, and of every other run that the store shows.
func (l *Loop) busy(snap *snapshot.Snapshot) taken {
	out := taken{}
	for i := range snap.Len() {
		if snap.Status(i) == model.StatusRunning {
			out.add(snap.At(i))
		}
	}
	for r := range l.runs.all() {
		if t, ok := snap.Task(r.Task); ok {
			out.add(t)
		}
	}
	return out
}

// start begins a run of a task. The claim itself is fired by the goroutine that drives it.
func (l *Loop) start(ctx context.Context, snap *snapshot.Snapshot, t *model.Task) error {
	r := &run{record: record{
		Run: "run-" + l.opt.NewID(), Task: t.UID, Worker: l.set.Worker.Name, Attempt: t.Status.RetryCount + 1,
		Step: stepClaim, Started: l.now(),
	}, name: t.Config.Name, fresh: true}
	if lifecycle.ByHand(t) != "" {
		r.Hand = true
		if rec, ok := l.place.byHand(t.UID); ok {
			r.Run, r.Base = rec.Run, rec.Base
		}
	} else if snapshot.DoneByParts(snap, t.UID) {
		r.Parts = true
	}
	// The record stands before the claim: a claim without one would be nobody's.
	if err := l.place.write(&r.record); err != nil {
		return err
	}
	if err := l.open(ctx, r); err != nil {
		return errors.Join(err, l.place.forget(r.Run))
	}
	l.sum.Started++
	l.say(r, fmt.Sprintf("starts (%s, attempt %d)", r.by(), r.Attempt))
	l.drives(r, l.drive)
	return nil
}

// open opens the events of a run.
func (l *Loop) open(ctx context.Context, r *run) error {
	w, err := l.s.AppendRunFile(ctx, r.Task, r.Run, "output.jsonl")
	if err != nil {
		return err
	}
	r.events = &events{to: w}
	return nil
}

// left counts the tasks whose work is not done.
func (l *Loop) left(snap *snapshot.Snapshot) int {
	n := 0
	for i := range snap.Len() {
		if unfinished(snap.Status(i)) {
			n++
		}
	}
	return n
}

// unfinished says whether work is still to be done; what only waits to be reviewed is finished.
func unfinished(st model.Status) bool {
	switch st {
	case model.StatusDone, model.StatusFailed, model.StatusAborted, model.StatusReviewWork:
		return false
	}
	return true
}

// describe writes down what the loop does, for those who look at it from outside.
func (l *Loop) describe(began int, why []string) {
	says := ""
	switch {
	case len(l.runs.live) > 0:
		says = fmt.Sprintf("%s active", count(len(l.runs.live), "run is", "runs are"))
	case len(why) > 0:
		says = why[0]
	case began == 0:
		says = "nothing is ready to start"
	}
	if n := len(l.runs.waiting); n > 0 {
		says += fmt.Sprintf("; %s for you", count(n, "run waits", "runs wait"))
	}
	if says == l.rounds.says {
		return
	}
	l.rounds.says = says
	info := Info{Format: recordFormat, PID: os.Getpid(), Started: l.rounds.began, Workers: l.opt.Workers, Draining: l.rounds.drain, Says: says}
	_ = l.place.infoFile().Write(&info) // anyone who looks sees less
}

// seekAgain is the time between two looks for deadlocks, which go through all tasks, while others change the store.
const seekAgain = 2 * time.Second

// deadlocks is what a loop knows of tasks that can't be completed as things are.
type deadlocks struct {
	asked  string    // the key under which a person was told
	fresh  bool      // no look was taken yet
	sought time.Time // when the last one was
	owed   bool      // one is to be taken when it is time
}

// deadlock asks a person when nothing runs, nothing can be started, and what holds the rest is
// something that does not pass by itself: a cycle, a dependency that failed or is not there. What only
// waits for a person's answer is in the inbox already.
func (l *Loop) deadlock(ctx context.Context, snap *snapshot.Snapshot) error {
	var list []schedule.Deadlock
	l.dead.owed = false
	if len(l.runs.live) == 0 && len(schedule.Next(snap, 1)) == 0 {
		now, goesOn := l.now(), !l.opt.Idle && l.opt.Max == 0
		if goesOn && now.Sub(l.dead.sought) < seekAgain {
			l.dead.owed = true
			return nil
		}
		l.dead.sought = now
		for _, d := range schedule.Of(snap).Deadlocks() {
			if !schedule.Of(snap).IsAsked(&d) { // else it is in the inbox, with what hangs on it
				list = append(list, d)
			}
		}
	}
	if len(list) == 0 {
		if (l.dead.asked != "" || l.dead.fresh) && !l.settle(ctx, snap, lifecycle.DeadlockKey, "") {
			l.dead.owed, l.dead.sought = true, l.now()
			return nil
		}
		l.dead.asked, l.dead.fresh = "", false
		return nil
	}
	l.dead.fresh = false
	var b strings.Builder
	b.WriteString("Nothing can start. These tasks are stuck:\n\n")
	for k, d := range list {
		if k == 20 {
			fmt.Fprintf(&b, "- and %d more\n", len(list)-k)
			break
		}
		fmt.Fprintf(&b, "- %s (%s)\n", d.Text, d.Hint)
	}
	key := lifecycle.DeadlockKey + model.HashBytes([]byte(b.String()))[len("sha256-"):][:16] // of the causes: what else waits comes and goes
	l.dead.owed = !l.settle(ctx, snap, lifecycle.DeadlockKey, key)
	if q, ok := snap.Keyed("", key); ok && l.dead.asked == key && q.State != model.RequestSuperseded {
		return nil
	}
	l.dead.asked = key
	b.WriteString(waitsForPeople(snap))
	_, err := l.do(ctx, model.Op{
		Name: model.Escalate, Actor: Actor,
		Args: model.NewRequest{Key: key, Title: "all work is stuck: " + runlog.FirstLine(list[0].Text), Detail: b.String()},
	})
	l.dead.owed = l.dead.owed || err != nil
	return err
}

// settle takes back what the loop asked under keys that begin so, but for one, because its cause has gone. It says whether
// that could be done.
func (l *Loop) settle(ctx context.Context, snap *snapshot.Snapshot, prefix, but string) (done bool) {
	done = true
	for _, q := range snap.Requests() {
		if q.CreatedBy != Actor || !q.IsOpen() || !strings.HasPrefix(q.Key, prefix) || q.Key == but {
			continue
		}
		if _, err := l.do(ctx, model.Op{Name: model.Settle, UID: q.TaskUID, Actor: Actor, Args: model.Settlement{Request: q.ID}}); err != nil {
			l.tell(fmt.Sprintf("can't withdraw %s: %v", q.ID, err))
			done = false
		}
	}
	return done
}

// Planned is what a loop would do with a task.
type Planned struct {
	UID    model.UID `json:"uid"`
	Name   string    `json:"name"`
	Worker string    `json:"worker"`
	Start  bool      `json:"start"`
	Why    string    `json:"why,omitempty"` // of one that would not be started at once
}

// Plan is what a loop would start now, in its order.
func (l *Loop) Plan(snap *snapshot.Snapshot) []Planned {
	var out []Planned
	busy := l.busy(snap)
	running, started := 0, 0
	for i := range snap.Len() {
		if snap.Status(i) == model.StatusRunning {
			running++
		}
	}
	for _, i := range l.ready(snap) {
		t := snap.At(int(i))
		if waitsForParts(snap, t.UID) {
			continue
		}
		p := Planned{UID: t.UID, Name: t.Config.Name, Worker: l.set.Worker.Name}
		other, file := overlap(busy, t)
		switch {
		case l.place.paused():
			p.Why = "starting runs is paused"
		case file != "":
			p.Why = "it writes " + file + ", as " + other + " does"
		case running+started >= l.opt.Workers:
			p.Why = count(l.opt.Workers, "worker at a time", "workers at a time")
		case l.opt.Max > 0 && started >= l.opt.Max:
			p.Why = "the limit of " + count(l.opt.Max, "run", "runs") + " is reached"
		default:
			p.Start = true
			if lifecycle.NeedsConsent(snap, t.UID) {
				p.Why = "it needs a person's permission"
			}
			started++
			busy.add(t)
		}
		out = append(out, p)
	}
	return out
}
