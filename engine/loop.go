package engine

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"vespe/engine/worker"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store"
)

// Actor is who the loop is in the history of tasks.
const Actor = model.Actor(model.System + ":loop")

const (
	// tick is how often the loop looks at the store and at what others ask of it.
	tick = 200 * time.Millisecond
	// lookAgain is how often it looks whether what is in the way of a branch has gone: the store does not tell.
	lookAgain = 5 * time.Second
)

// Loop runs the work of one store on this machine.
type Loop struct {
	s     *store.Store
	repo  *worktree.Repo
	place place
	set   worker.Settings
	opt   Options

	soft context.Context // its end asks the workers to stop
	hard context.Context // its end kills

	current atomic.Pointer[snapshot.Snapshot]

	// What follows belongs to the goroutine of Run.
	runs   runs
	queue  queue
	dead   deadlocks
	rounds rounds
	target target
	sum    Summary
}

// sight is what a round goes by, besides the runs themselves.
type sight struct {
	snap   *snapshot.Snapshot
	paused bool
}

// New is a loop that does not run yet.
func New(s *store.Store, repo *worktree.Repo, opt Options) (*Loop, error) {
	p, err := placeOf(opt.Getenv, s.StoreID())
	if err != nil {
		return nil, err
	}
	if opt.Workers == 0 {
		opt.Workers = max(1, opt.Settings.Parallel)
	}
	return &Loop{
		s: s, repo: repo, place: p, set: opt.Settings, opt: opt,
		runs:   runs{live: map[string]*run{}, waiting: map[string]*run{}, later: map[string]*run{}, results: make(chan end)},
		queue:  queue{refused: map[model.UID]int{}, stopped: map[model.UID]string{}, want: slices.Clone(opt.Only)},
		dead:   deadlocks{fresh: true},
		target: target{moved: make(chan struct{}, 1)},
	}, nil
}

// Run works until there is nothing more to do, or until ctx ends: then its workers are asked to stop.
// The end of hard kills them. Neither leaves a process behind.
func (l *Loop) Run(ctx, hard context.Context) (Summary, error) {
	unlock, err := l.place.lock()
	if err != nil {
		return Summary{}, err
	}
	defer unlock()
	defer l.target.moving.Wait()
	defer l.runs.leave()
	l.soft, l.hard, l.rounds.began = ctx, hard, l.now()
	defer os.Remove(l.place.infoFile().Name)
	for _, w := range l.place.said() { // said to a loop that is no more
		l.place.heard(w)
	}
	if _, err := l.refresh(ctx); err != nil {
		return l.sum, err
	}
	if err := l.reconcile(ctx); err != nil {
		return l.sum, err
	}
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		over, err := l.round(ctx)
		if err != nil {
			l.stopAll(errStopping)
			l.await()
			return l.sum, err
		}
		if over {
			l.sum.Waiting = len(l.runs.waiting)
			return l.sum, nil
		}
		select {
		case e := <-l.runs.results:
			l.took(e)
		case <-l.target.moved:
			l.rounds.stirred = true
		case <-ctx.Done():
			l.stopAll(errStopping)
			l.await()
			l.sum.Waiting = len(l.runs.waiting)
			return l.sum, nil
		case <-t.C:
		}
	}
}

// round does what can be done now, and says whether that was all. Where nothing has changed since the last
// one, it does nothing: then it costs the same whatever is in the store.
func (l *Loop) round(ctx context.Context) (over bool, err error) {
	snap, err := l.refresh(ctx)
	if ctx.Err() != nil {
		return false, nil //nolint:nilerr // whatever it is: Run sees that it is to end
	}
	if err != nil {
		return false, err
	}
	words, now := l.place.said(), sight{snap, l.place.paused()}
	if now == l.rounds.seen && !l.rounds.stirred && len(words) == 0 && !l.due() {
		return false, nil
	}
	l.rounds.seen, l.rounds.stirred, l.rounds.acted = now, false, l.now()
	if stop := l.listen(snap, words); stop {
		return true, nil
	}
	return l.act(ctx, snap), nil
}

// due says whether something is to be done because of the time alone.
func (l *Loop) due() bool {
	now := l.now()
	if len(l.runs.live) < l.opt.Workers {
		for _, r := range l.runs.later {
			if !now.Before(r.again) {
				return true
			}
		}
	}
	held := l.target.apart != "" || !l.target.advancing.Load() && l.target.held != ""
	return held && now.Sub(l.rounds.acted) >= lookAgain || l.dead.owed && now.Sub(l.dead.sought) >= seekAgain
}

// act does what can be done by a snapshot.
func (l *Loop) act(ctx context.Context, snap *snapshot.Snapshot) (over bool) {
	l.lookAfter(snap)
	if l.lost(ctx, snap) {
		l.rounds.stirred = true
		return false
	}
	l.advance(ctx, snap)
	began, why := l.begin(ctx, snap)
	l.describe(began, why)
	if err := l.deadlock(ctx, snap); err != nil {
		l.tell(err.Error())
	}
	if len(l.runs.live) > 0 || len(l.runs.later) > 0 || began > 0 || l.target.advancing.Load() {
		return false
	}
	switch {
	case l.rounds.drain, l.opt.Max > 0 && l.sum.Started >= l.opt.Max:
		l.sum.Why = why
		return true
	case l.opt.Idle:
		l.sum.Left, l.sum.Why = l.left(snap), append(why, waitWords(snap)...)
		return true
	}
	return false
}

// took is told how a run ended.
func (l *Loop) took(e end) {
	l.rounds.stirred = true
	delete(l.runs.live, e.run.Run)
	switch e.what {
	case waits:
		if e.run.canceled { // while it was on its way to wait
			l.drives(e.run, l.drive)
			return
		}
		l.runs.waiting[e.run.Run] = e.run
		l.say(e.run, "waits: "+l.waitsFor(e.run))
	case crashed:
		l.stumbled(e)
	case gone:
		if e.refused {
			l.sum.Started--
			if t, ok := l.snap().Task(e.run.Task); ok {
				l.queue.refused[e.run.Task] = t.Status.Revision
			}
			l.say(e.run, "could not be started: "+e.err.Error())
			return
		}
		if t, ok := l.snap().Task(e.run.Task); ok && !e.run.wanted && l.wasStopped(e.run) {
			l.queue.stop(t)
		}
		l.say(e.run, "was ended by another process")
	case ended:
		switch {
		case e.done:
			l.sum.Completed++
			l.target.due = true
			l.say(e.run, "completed in "+e.run.lasted(l.now()).Round(time.Second).String())
		case e.stopped && e.err != nil:
			l.sum.Started--
			l.target.apart = e.err.Error()
			l.say(e.run, "can't start: "+l.target.apart)
		case e.stopped:
			l.sum.Canceled++
			if t, ok := l.snap().Task(e.run.Task); ok && e.hold && !e.run.wanted {
				l.queue.stop(t)
			}
			l.say(e.run, "was stopped")
		default:
			l.sum.Failed++
			l.say(e.run, "failed: "+e.run.seen().Action)
		}
	}
}

// A run that the machine could not continue with is taken up again after a while, a few times; after that it is
// left to the next loop.
const (
	stumbles     = 5
	stumbleAfter = 2 * time.Second
)

func (l *Loop) stumbled(e end) {
	r := e.run
	r.stumbles++
	if l.hard.Err() == nil && l.soft.Err() == nil && r.stumbles < stumbles {
		l.say(r, "failed: "+e.err.Error()+". The loop tries again")
		r.again = l.now().Add(time.Duration(r.stumbles) * stumbleAfter)
		l.runs.later[r.Run] = r
		return
	}
	l.sum.Left++
	l.say(r, "failed: "+e.err.Error()+". Its work is saved, and the next loop continues it")
	r.close()
}

// close gives up the files of a run.
func (r *run) close() {
	r.events.close()
	if r.tree != nil {
		r.tree.Close()
	}
}

// stopAll asks every worker to stop, for a cause.
func (l *Loop) stopAll(cause error) {
	for _, r := range l.runs.live {
		r.stop(cause)
	}
}

// await waits until every run has ended.
func (l *Loop) await() {
	for len(l.runs.live) > 0 {
		l.took(<-l.runs.results)
	}
}

// listen does what other processes have asked for, and says whether that is to end at once.
func (l *Loop) listen(snap *snapshot.Snapshot, words []string) (stop bool) {
	for _, w := range words {
		switch {
		case w == wordDrain:
			l.rounds.drain = true
		case w == wordStop:
			l.place.heard(w)
			l.stopAll(errStopping)
			l.await()
			return true
		default:
			if id, ok := about(w, wordCancel); ok {
				l.cancel(id)
			} else if id, ok := about(w, wordWant); ok {
				l.wish(snap, model.UID(id))
			}
		}
		l.place.heard(w)
	}
	return false
}

// cancel stops a run, whether its worker works or it waits.
func (l *Loop) cancel(id string) {
	for r := range l.runs.all() {
		if r.Run == id {
			r.canceled, r.wanted = true, false
		}
	}
	if r, ok := l.runs.live[id]; ok {
		r.stop(errCanceled)
	} else if r, ok := l.runs.take(id); ok {
		l.drives(r, l.drive)
	}
}

// wish puts a task before all others.
func (l *Loop) wish(snap *snapshot.Snapshot, uid model.UID) {
	l.queue.wish(snap, uid)
	for _, r := range l.runs.live { // one that is being stopped, and has yet to say so
		if r.Task == uid && (r.canceled || l.replaced(snap, r)) {
			r.wanted = true
		}
	}
}

// replaced reports whether the store no longer has the run as its task's.
func (l *Loop) replaced(snap *snapshot.Snapshot, r *run) bool {
	t, ok := snap.Task(r.Task)
	return ok && r.claimed.Load() && snap.Seq() >= r.since.Load() && t.Status.CurrentRun != r.Run
}

// lookAfter stops the runs whose tasks were ended otherwise, and continues with those that a person has
// decided about.
func (l *Loop) lookAfter(snap *snapshot.Snapshot) {
	for _, r := range l.runs.live {
		if l.replaced(snap, r) {
			r.stop(errGone)
		}
	}
	for id, r := range l.runs.later {
		if now := l.now(); len(l.runs.live) < l.opt.Workers && !now.Before(r.again) {
			delete(l.runs.later, id)
			r.fresh = false
			l.drives(r, l.drive)
		}
	}
	for id, r := range l.runs.waiting {
		t, ok := snap.Task(r.Task)
		switch {
		case !ok || t.Status.CurrentRun != r.Run:
			delete(l.runs.waiting, id)
			l.drives(r, func(ctx context.Context, r *run) end {
				r.stop(errGone)
				return l.drive(ctx, r)
			})
		case len(l.runs.live) >= l.opt.Workers || l.place.paused():
		case r.Changed:
			if t.Status.IsPaused || !asAccepted(snap, t) {
				continue
			}
			delete(l.runs.waiting, id)
			r.Step, r.Changed = r.After, false
			l.say(r, "continues")
			l.drives(r, l.drive)
		case r.Question != "":
			q, ok := l.question(snap, r, r.Question)
			if ok && q.IsOpen() {
				continue
			}
			delete(l.runs.waiting, id)
			l.drives(r, func(ctx context.Context, r *run) end { return l.decided(ctx, r, q) })
		case !t.Status.IsPaused:
			delete(l.runs.waiting, id)
			r.Step, r.fresh = r.After, true
			l.say(r, "continues")
			l.drives(r, l.drive)
		}
	}
}

// decided continues with a run as a person decided.
func (l *Loop) decided(ctx context.Context, r *run, q model.Request) end {
	next, err := l.decide(r, q)
	r.Question = ""
	var fail *failure
	if errors.As(err, &fail) {
		r.error(l.now(), fail.why)
		if q.Answer.Choice == chooseGiveUp {
			return l.finish(r, end{run: r, what: ended}, l.giveUp(r, fail.why))
		}
		return l.finish(r, end{run: r, what: ended}, l.fail(r, fail.why))
	}
	r.Step, r.fresh = next, true
	return l.drive(ctx, r)
}

// drives lets a goroutine drive a run, which takes a slot.
func (l *Loop) drives(r *run, by func(context.Context, *run) end) {
	ctx, stop := context.WithCancelCause(l.hard)
	r.ctx, r.stop = ctx, stop
	l.runs.live[r.Run] = r
	if r.canceled {
		stop(errCanceled)
	}
	go func() { l.runs.results <- by(ctx, r) }()
}

func (l *Loop) snap() *snapshot.Snapshot { return l.current.Load() }
func (l *Loop) now() time.Time           { return l.opt.Now() }

func (l *Loop) workerActor(r *run) model.Actor {
	if r.Hand || r.Parts {
		return Actor
	}
	return model.Actor(model.Agent + ":" + r.Worker)
}

func (l *Loop) say(r *run, text string) {
	if l.opt.Say != nil {
		l.opt.Say(Said{At: l.now(), Run: r.Run, Task: r.Task, Name: r.name, Text: text})
	}
}

// ErrKilled ends the context by which a loop is killed.
var ErrKilled = errors.New("the loop was killed")
