package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vespe/engine/proc"
	"vespe/engine/worktree"
	"vespe/model"
	"vespe/model/runlog"
)

// run is one attempt at a task while this process drives it. The record is what would be left of it
// after a crash; only the goroutine that drives the run touches it.
type run struct {
	record
	name string          // of the task
	ctx  context.Context // of the goroutine that drives it
	stop context.CancelCauseFunc
	// claimed says that the task has the run as its current one, as far as this process knows.
	claimed atomic.Bool
	// since is the snapshot by which it was claimed: older ones do not show it.
	since  atomic.Uint64
	events *events
	tree   *worktree.Tree  // nil while this process does not work with it
	fresh  bool            // made by this process: no earlier one drove it
	res    worktree.Result // of its last commit, as far as this process made it

	stumbles int // times that the machine could not continue with it
	again    time.Time

	// Of the loop's goroutine: a person canceled the run, and asked for the task again while it was ending.
	canceled, wanted bool

	told told // of the goroutine that drives it

	mu   sync.Mutex
	view runlog.View // what its events come to, for the loop's own words
}

// outcome is how a run ended, or that it waits.
type outcome int

const (
	ended   outcome = iota // work_completed, error or the stop of the run is in the log
	waits                  // for a person: its slot is free
	gone                   // somebody else ended it: its task was aborted, replanned, or never claimed
	crashed                // what became of it could not be written down: the next loop continues with it
)

// end is what drive answers with.
type end struct {
	run  *run
	what outcome
	err  error // of crashed, and of a start that was refused
	// refused: the task could not be started, and nothing was.
	refused bool
	done    bool // with ended: the work was completed
	stopped bool // with ended: it was stopped, and no attempt is counted
	// hold, with stopped: this loop does not start the task again before somebody asks for it.
	hold bool
}

// failure ends an attempt: what went wrong, in the words that the next attempt is told.
type failure struct{ why string }

func (f *failure) Error() string { return f.why }

func failed(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }

// waiting parks a run until a person has decided.
type waiting struct {
	after    step
	question string // the key of an escalation of vespe's own; "" where the task is paused
	changed  bool   // until the task is again what was accepted, or a person says that this is to be done
}

func (w *waiting) Error() string { return "it waits for a person" }

// Causes for which a run is stopped from outside.
var (
	errCanceled = errors.New("a person canceled it")
	errStopping = errors.New("the loop was stopped")
	errGone     = errors.New("the task no longer has this run")
	// errInterrupted: the run ended with the vespe that drove it, or with the machine. That is no failure of its worker.
	errInterrupted = errors.New("vespe ended while the worker was running")
	// errSignaled: somebody ended the worker's guard, and this vespe still runs.
	errSignaled = errors.New("the worker's guard process was killed by a signal")
)

// drive takes a run from the step that it is at to its end, or until it waits. Each step is done again
// when it is not certain that it was done: by an operation's id, by the trailer of a commit, by what the
// guard of a worker wrote down.
func (l *Loop) drive(ctx context.Context, r *run) end {
	err := l.steps(ctx, r)
	var (
		fail *failure
		wait *waiting
		no   *model.Refusal
	)
	switch {
	case err == nil:
		err = l.complete(r)
		if errors.As(err, &no) && no.Guard == model.GuardPhase { // a phase that did not leave what it is for
			why := no.Why + ": " + no.Hint
			r.error(l.now(), why)
			return l.finish(r, end{run: r, what: ended}, l.fail(r, why))
		}
		return l.finish(r, end{run: r, what: ended, done: true}, err)
	case errors.As(err, &wait):
		r.After, r.Question, r.Changed = wait.after, wait.question, wait.changed
		if err := l.at(r, stepWaiting); err != nil {
			return end{run: r, what: crashed, err: err}
		}
		r.phase(l.now(), runlog.PhaseWaiting, l.waitsFor(r))
		return end{run: r, what: waits}
	case r.Step == stepClaim && errors.As(err, &no):
		return l.finish(r, end{run: r, what: gone, refused: true, err: err}, nil)
	}
	cause := context.Cause(ctx)
	if cause == nil && (errors.Is(err, errInterrupted) || errors.Is(err, errSignaled)) {
		cause = err
	}
	var conflict *worktree.Conflict
	switch {
	case cause == nil && r.Step == stepSetup && errors.As(err, &conflict): // the target and the work so far: not this run's matter
		return l.finish(r, end{run: r, what: ended, stopped: true, err: err}, l.release(r, err))
	case errors.Is(cause, errGone):
		l.keep(r)
		r.note(l.now(), "the task ended, so the run is over")
		return l.finish(r, end{run: r, what: gone}, nil)
	case cause != nil:
		l.keep(r)
		hold := errors.Is(cause, errCanceled) || errors.Is(cause, errSignaled)
		return l.finish(r, end{run: r, what: ended, stopped: true, hold: hold}, l.release(r, cause))
	case errors.As(err, &fail):
		l.keep(r)
		r.error(l.now(), fail.why)
		return l.finish(r, end{run: r, what: ended}, l.fail(r, fail.why))
	}
	// The disk is full, git is gone, the store cannot be written: nobody is to blame for it but the
	// machine. The run stays as it is written down.
	r.error(l.now(), err.Error())
	return end{run: r, what: crashed, err: err}
}

// steps are what a run goes through. It returns nil once its work is on the integration branch.
func (l *Loop) steps(ctx context.Context, r *run) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var (
			next step
			err  error
		)
		switch r.Step {
		case stepClaim:
			next, err = l.claim(ctx, r)
		case stepSetup:
			next, err = l.setup(ctx, r)
		case stepWork:
			next, err = l.work(ctx, r)
		case stepWorked:
			next, err = l.snapshot(ctx, r)
		case stepSnapshot:
			if err = l.holds(ctx, r); err == nil {
				next, err = l.verify(ctx, r)
			}
		case stepVerified:
			next = stepIntegrate
		case stepIntegrate:
			if err := l.holds(ctx, r); err != nil {
				return err
			}
			return l.integrate(ctx, r)
		default:
			return fmt.Errorf("run.json of %s has the unknown step %q: a newer vespe wrote it", r.Run, r.Step)
		}
		if err != nil {
			return err
		}
		if err := l.at(r, next); err != nil {
			return err
		}
	}
}

// at writes down that a run has come to a step.
func (l *Loop) at(r *run, next step) error {
	r.Step = next
	if err := l.place.write(&r.record); err != nil {
		return fmt.Errorf("can't record the progress of %s: %w", r.Run, err)
	}
	return nil
}

// claim fires `start`: from then on every process sees that the task is taken.
func (l *Loop) claim(ctx context.Context, r *run) (step, error) {
	applied, err := l.do(ctx, model.Op{
		ID: r.Run + ".start", Name: model.Start, UID: r.Task, Actor: Actor, Args: model.NewRun{Worker: l.workerActor(r), ID: r.Run},
	})
	if err != nil {
		return "", err
	}
	if c := applied.Change; c != nil && c.Waits {
		return "", &model.Refusal{Code: model.CodePending, Op: model.Start, UID: r.Task, Guard: model.GuardConsent, Why: "it needs a person's permission to start; the request is in the inbox"}
	}
	if t, ok := applied.Snapshot.Task(r.Task); !ok || t.Status.CurrentRun != r.Run && applied.Replayed {
		return "", errGone
	}
	r.since.Store(applied.Snapshot.Seq())
	r.claimed.Store(true)
	r.phase(l.now(), runlog.PhaseClaim, fmt.Sprintf("attempt %d, %s", r.Attempt, r.by()))
	return stepSetup, nil
}

// setup makes the worktree, the prompt, and what the project needs before a worker can begin.
func (l *Loop) setup(ctx context.Context, r *run) (step, error) {
	r.phase(l.now(), runlog.PhaseSetup, "")
	tree, err := l.repo.Add(ctx, r.Run, string(r.Task), "")
	if errors.Is(err, worktree.ErrExists) { // an earlier process made it, and was killed before it could say so
		tree, err = l.repo.Reopen(ctx, r.Run)
	}
	if err != nil {
		return "", l.gitFailure(r, "can't create the worktree", err)
	}
	r.tree, r.Path = tree, tree.Path
	if r.Base == "" { // a person's tree has what an earlier attempt did besides
		r.Base = tree.Base
	}
	if err := l.place.write(&r.record); err != nil {
		return "", err
	}
	l.say(r, "running in "+r.Path)
	if r.Hand || r.Parts {
		return stepWorked, nil
	}
	for i, argv := range l.set.Setup {
		if err := l.prepare(ctx, r, fmt.Sprintf("setup-%d", i), argv); err != nil {
			return "", err
		}
	}
	return stepWork, nil
}

// prepare runs a set-up command of the project in the worktree.
func (l *Loop) prepare(ctx context.Context, r *run, id string, argv []string) error {
	dir := filepath.Join(l.place.run(r.Run), id)
	r.log(runlog.Event{At: l.now(), Kind: runlog.KindCommand, ID: id, Text: strings.Join(argv, " ")})
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	out := filepath.Join(dir, "out")
	p, err := proc.Start(ctx, proc.Spec{
		Run: r.Run, Argv: argv, Dir: r.Path, Env: l.env(r), Out: out, Err: out, State: dir,
		Limits: l.commandLimits(), Guard: l.opt.Guard,
	})
	if err != nil {
		return failed("the setup command %s can't be started: %v", argv[0], err)
	}
	<-p.Done()
	x := p.Exit()
	tail := proc.Tail(out, runlog.MaxOutput)
	r.log(runlog.Event{At: l.now(), Kind: runlog.KindCommand, ID: id, Done: true, Failed: !x.OK(), Exit: x.Code, Text: tail})
	if err := context.Cause(ctx); err != nil {
		return err
	}
	switch {
	case x.OK():
		return nil
	case interrupted(ctx, x):
		return fmt.Errorf("the setup command `%s` was interrupted: %s", strings.Join(argv, " "), x.Detail)
	}
	return failed("the setup command `%s` %s\n%s", strings.Join(argv, " "), exitWords(x), tail)
}

// signalWait is how long after a signal ended a program vespe waits for one of its own. What shuts a machine down
// signals every process, in any order.
const signalWait = time.Second

// interrupted reports whether a program ended because somebody ended vespe, its guard or the machine. It waits for a
// moment where a signal that also ends vespe may be on its way.
func interrupted(ctx context.Context, x proc.Exit) bool {
	if x.Why == proc.Stopped || x.Why == proc.Orphaned {
		wait(ctx, signalWait)
		return true
	}
	if !signaled(x) {
		return false
	}
	wait(ctx, signalWait)
	return ctx.Err() != nil
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// signaled reports whether a program ended by a signal that asks a program to end, or as one does that caught it.
func signaled(x proc.Exit) bool {
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		if x.Why == "" && (x.Signal == s.String() || x.Code == 128+int(s)) {
			return true
		}
	}
	return false
}

// exitWords say how a program ended, after its name.
func exitWords(x proc.Exit) string {
	switch {
	case x.Why == proc.WallLimit:
		return "exceeded its time limit"
	case x.Why == proc.SilenceLimit:
		return "printed nothing for too long"
	case x.Why == proc.OutputLimit:
		return "exceeded its output limit"
	case x.Why == proc.Orphaned:
		return "was stopped because vespe exited"
	case x.Why == proc.Lost:
		return "was lost: its guard process was killed, so its result is unknown"
	case x.Why == proc.NotStarted:
		return "could not be started: " + x.Detail
	case x.Why != "":
		return "was stopped (" + x.Why + ")"
	case x.Signal != "":
		return "was killed by " + x.Signal
	}
	return fmt.Sprintf("exited with code %d", x.Code)
}

// gitFailure says whether what git could not do is the task's or the machine's: only the first ends an
// attempt. A check that found something wrong says so by a failure; any other end of it is the machine's.
func (l *Loop) gitFailure(r *run, what string, err error) error {
	var (
		tampered   *worktree.Tampered
		unfinished *worktree.Unfinished
		fail       *failure
	)
	switch {
	case errors.As(err, &fail):
		return fail
	case errors.As(err, &tampered), errors.As(err, &unfinished), errors.Is(err, worktree.ErrNoTree):
		return failed("%s: %v", what, err)
	}
	var no *worktree.Refused
	if errors.As(err, &no) && no.Hint != "" {
		return fmt.Errorf("%s of %s: %w %s", what, r.Run, err, no.Hint)
	}
	return fmt.Errorf("%s of %s: %w", what, r.Run, err)
}

// by is who does the work of a run, for people.
func (r *run) by() string {
	switch {
	case r.Hand:
		return "by hand"
	case r.Parts:
		return "by its subtasks"
	}
	return r.Worker
}

// lasted is how long a run has gone on.
func (r *run) lasted(now time.Time) time.Duration { return now.Sub(r.Started) }
