package workbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"vespe/engine"
	"vespe/model"
	"vespe/store"
	"vespe/ui/runview"
)

// loopProcess is the loop of a store for the workbench: always one in a process of its own, `vespe run`, so that
// leaving the workbench, or its end by whatever cause, ends no work; but for the live demo, whose loop ends with it.
type loopProcess struct {
	setup  *engine.Setup
	s      *store.Store
	desk   *engine.Desk
	worker string // that it uses; "" for the one that is set
	// with holds the loop that is started next to this process: it ends with it, however that ends.
	with bool

	mu      sync.Mutex
	own     int // the process of the loop that it holds; 0 for none
	stops   []runview.LoopStop
	workers int
	asked   time.Time // when stops were found out
}

// newLoop is nil where there is no place to keep what runs.
func newLoop(setup *engine.Setup, s *store.Store, worker string, with bool) runview.Loop {
	desk, err := setup.Desk(s.StoreID())
	if err != nil {
		return nil
	}
	return &loopProcess{setup: setup, s: s, desk: desk, worker: worker, with: with}
}

// stopsFor is how long what keeps a loop from running is believed.
const stopsFor = 5 * time.Second

// State implements runview.Loop.
func (l *loopProcess) State(ctx context.Context) (runview.LoopState, error) {
	in, runs := l.desk.Loop()
	st := runview.LoopState{Running: runs, Paused: in.Paused}
	if runs {
		st.PID, st.Since, st.Workers, st.Stopping = in.PID, in.Started, in.Workers, in.Draining
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	st.Here = runs && l.own != 0 && in.PID == l.own
	if now := time.Now(); now.Sub(l.asked) > stopsFor {
		l.stops, l.workers, l.asked = nil, 0, now
		set, err := l.setup.Check(ctx, l.s, l.worker)
		var no *model.Refusal
		switch {
		case errors.As(err, &no):
			l.stops = []runview.LoopStop{{Why: no.Why, Hint: no.Hint}}
		case err != nil:
			l.stops = []runview.LoopStop{{Why: err.Error()}}
		}
		l.workers = set.Parallel
	}
	st.Stops = l.stops
	if st.Workers == 0 {
		st.Workers = l.workers
	}
	return st, nil
}

// Start implements runview.Loop.
func (l *loopProcess) Start(ctx context.Context, o runview.LoopOptions) error {
	if in, runs := l.desk.Loop(); runs {
		return fmt.Errorf("a loop is already running (process %d)", in.PID)
	}
	var args []string
	if o.Max > 0 {
		args = append(args, fmt.Sprintf("--max=%d", o.Max))
	}
	return l.spawn(ctx, args...)
}

// RunTask implements runview.Loop.
func (l *loopProcess) RunTask(ctx context.Context, uid model.UID) error {
	if err := l.desk.Want(uid); !errors.Is(err, engine.ErrNoLoop) {
		return err
	}
	return l.spawn(ctx, string(uid))
}

const (
	spawnWait = 20 * time.Second // for a loop to begin
	spawnLook = 50 * time.Millisecond
	saidTail  = 2 << 10 // bytes of what a loop said that could not begin
)

// spawn starts a loop in a session of its own, and returns once it has begun.
func (l *loopProcess) spawn(ctx context.Context, args ...string) error {
	log, err := os.OpenFile(l.desk.LogFile(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, os.ErrNotExist) { // the first loop of the store
		if err = l.desk.Make(); err == nil {
			log, err = os.OpenFile(l.desk.LogFile(), os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		}
	}
	if err != nil {
		return err
	}
	defer log.Close()
	run := []string{"-C", l.s.Root(), "run"}
	if l.worker != "" {
		run = append(run, "--worker="+l.worker)
	}
	if l.with {
		run = append(run, "--until-eof")
	}
	cmd := exec.Command(l.setup.Vespe, append(run, args...)...) //nolint:gosec // vespe itself
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if l.with {
		if _, err := cmd.StdinPipe(); err != nil { // nothing is written to it
			return err
		}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(spawnLook)
	defer look.Stop()
	over := time.NewTimer(spawnWait)
	defer over.Stop()
	for {
		select {
		case err := <-ended:
			return l.endedSoon(err)
		case <-look.C:
			if in, runs := l.desk.Loop(); runs && in.PID == cmd.Process.Pid {
				if l.with {
					l.mu.Lock()
					l.own = in.PID
					l.mu.Unlock()
				}
				return nil
			}
		case <-over.C:
			return errors.New("it has not started yet; see its output in " + l.desk.LogFile())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// endedSoon says why a loop ended before it was seen. One that had nothing to do, or was quick, is no error.
func (l *loopProcess) endedSoon(err error) error {
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) && exit.ExitCode() == 5 {
		return nil
	}
	b, rerr := os.ReadFile(l.desk.LogFile())
	if said := strings.TrimSpace(string(b[max(0, len(b)-saidTail):])); rerr == nil && said != "" {
		return errors.New(said)
	}
	return err
}

// Stop implements runview.Loop.
func (l *loopProcess) Stop(_ context.Context, now bool) error { return l.desk.Stop(now) }

// Pause implements runview.Loop.
func (l *loopProcess) Pause(_ context.Context, on bool) error { return l.desk.Pause(on) }

// Cancel implements runview.Loop.
func (l *loopProcess) Cancel(ctx context.Context, run string) error {
	err := l.desk.Cancel(run)
	if !errors.Is(err, engine.ErrNoLoop) {
		return err
	}
	loop, err := l.setup.Loop(ctx, l.s, engine.Options{})
	if err != nil {
		return err
	}
	return loop.CancelLeft(ctx, run)
}

// Worktree implements runview.Loop.
func (l *loopProcess) Worktree(ctx context.Context, run string) (string, error) {
	return l.setup.Worktree(ctx, l.s, run)
}

// live starts a loop, and returns what ends it. One that runs already is left as it is.
func live(ctx context.Context, loop runview.Loop) (end func(), err error) {
	if loop == nil {
		return nil, errors.New("no directory for state: neither HOME nor XDG_STATE_HOME is set")
	}
	st, err := loop.State(ctx)
	if err == nil && st.Running {
		return func() {}, nil
	}
	if err == nil {
		err = loop.Start(ctx, runview.LoopOptions{})
	}
	if err != nil {
		return nil, fmt.Errorf("can't start the loop of the demo: %w", err)
	}
	return func() { _ = loop.Stop(context.WithoutCancel(ctx), true) }, nil // it may have ended by itself
}
