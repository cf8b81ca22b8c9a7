// Package run is the verbs of the loop and of its runs, and the demo, on which the loop can work.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/engine"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/visible"
	"vespe/store"
)

// runFlags are the flags of run.
type runFlags struct {
	idle, dryRun, eof               bool
	stop, now, pause, goOn, isThere bool
	max, workers                    int
	worker, shell                   string
}

func (a *app) runVerb() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use: "run [UID…]",
		Long: "Start a worker on each ready task, by priority, as many at a time as the settings allow, but never\n" +
			"two that write the same files. Verify the work, bring it onto the integration branch, retry\n" +
			"failures, and ask a person when only a person can decide. Ctrl+c asks the workers to stop; a\n" +
			"second ctrl+c kills them. With UIDs it runs only these tasks; a loop that is already running takes\n" +
			"them next.\n\n" +
			"Nothing runs for a store that is not trusted (`vespe store trust`). The worker is set in config.toml or\n" +
			"with --worker. If a loop is killed, the next one picks up its work.\n\n" +
			"Exit codes: 0 everything that can run is done · 1 a run failed · 5 the rest waits for a person.",
		Example: "  vespe run --until-idle\n  vespe run 3f9a1c\n  vespe run --dry-run\n  vespe run --stop",
		Args:    cobra.ArbitraryArgs, ValidArgsFunction: a.CompleteTask(core.AnyNumber),
	}
	c.Flags().BoolVar(&f.idle, "until-idle", false, "end when no run is live and no task is ready")
	c.Flags().BoolVar(&f.eof, "until-eof", false, "end when standard input ends")
	c.Flags().IntVar(&f.max, "max", 0, "start at most this many runs, then end")
	c.Flags().IntVar(&f.workers, "workers", 0, "maximum number of runs at a time; 0 uses the setting")
	c.Flags().StringVar(&f.worker, "worker", "", "the worker to use; docs/config.md lists them")
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show what would be started, without starting it")
	c.Flags().BoolVar(&f.stop, "stop", false, "let the running loop end after its current runs")
	c.Flags().BoolVar(&f.now, "now", false, "with --stop: also ask its workers to stop")
	c.Flags().BoolVar(&f.pause, "pause", false, "start no more runs")
	c.Flags().BoolVar(&f.goOn, "continue", false, "start runs again")
	c.Flags().StringVar(&f.shell, "shell", "", "open your shell in the worktree of a run (a run's id, or a task for its last run)")
	c.Flags().BoolVar(&f.isThere, "status", false, "show whether a loop runs, and what it does")
	c.MarkFlagsMutuallyExclusive("stop", "pause", "continue", "status", "dry-run", "shell")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case f.max < 0 || f.workers < 0:
			return core.Usagef("the number of runs or workers can't be negative")
		case f.now && !f.stop:
			return core.Usagef("--now needs --stop")
		case a.Getenv("VESPE_RUN_ID") != "":
			return &model.Refusal{
				Code: model.CodeDenied, Op: "run", Guard: "person", Why: "this is inside " + a.Getenv("VESPE_RUN_ID") + ", and a worker can't start workers",
				Hint: "create a subtask instead: `vespe new NAME --parent UID`",
			}
		}
		s, err := a.openLoop("run")
		if err != nil {
			return err
		}
		if f.shell != "" {
			return a.shellIn(cmd.Context(), s, f.shell)
		}
		desk, err := a.Loops.Desk(s.StoreID())
		if err != nil {
			return err
		}
		if f.stop || f.pause || f.goOn || f.isThere {
			if err := a.GuardPerson("run", "", "", true); err != nil && !f.isThere {
				return err
			}
			return a.tellLoop(desk, f)
		}
		return a.run(cmd.Context(), s, desk, f, args)
	}
	return c
}

// shellIn opens the person's shell in the worktree of a run. No setting lets a script or an agent do that.
func (a *app) shellIn(ctx context.Context, s *store.Store, ref string) error {
	if err := a.GuardPerson("run", "", "", false); err != nil {
		return err
	}
	if !a.StdinTerminal || !a.IsTerminal || a.Shell == nil {
		return &model.Refusal{
			Code: model.CodeDenied, Op: "run", Guard: "person", Why: "a shell needs a person at a terminal",
			Hint: "`vespe run list` shows the worktree",
		}
	}
	snap, err := s.Load(ctx, nil)
	if err != nil {
		return err
	}
	_, run, err := a.findRun(ctx, s, snap, ref)
	if err != nil {
		return err
	}
	dir, err := a.Loops.Worktree(ctx, s, run)
	if err != nil {
		return err
	}
	return a.Shell(dir, run)
}

// openLoop opens the store of a verb that starts programs or moves branches.
func (a *app) openLoop(op model.Name) (*store.Store, error) {
	s, err := a.Open()
	if err != nil {
		return nil, err
	}
	if why := s.ReadOnly(); why != "" {
		return nil, &model.Refusal{Code: model.CodeRefused, Op: op, Guard: "writable", Why: why, Hint: "see `vespe store doctor`"}
	}
	if a.Loops == nil {
		return nil, core.Usagef("this vespe was built without a loop")
	}
	return s, nil
}

// loopObject is what --json prints of a loop.
type loopObject struct {
	Running   bool      `json:"running"`
	PID       int       `json:"pid,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	Workers   int       `json:"workers,omitempty"`
	Paused    bool      `json:"paused"`
	Draining  bool      `json:"draining"`
	Says      string    `json:"says,omitempty"`
}

// tellLoop asks something of the loop that runs, and says how it is with it.
func (a *app) tellLoop(desk *engine.Desk, f runFlags) error {
	var err error
	switch {
	case f.stop:
		err = desk.Stop(f.now)
	case f.pause, f.goOn:
		err = desk.Pause(f.pause)
	}
	if errors.Is(err, engine.ErrNoLoop) {
		return &model.Refusal{Code: model.CodeRefused, Op: "run", Guard: "loop", Why: err.Error(), Hint: "`vespe run` starts one"}
	}
	if err != nil {
		return err
	}
	in, runs := desk.Loop()
	o := loopObject{Running: runs, Paused: in.Paused}
	if runs {
		o.PID, o.StartedAt, o.Workers, o.Draining, o.Says = in.PID, in.Started.UTC(), in.Workers, in.Draining, in.Says
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, o)
	}
	switch {
	case f.stop && f.now:
		fmt.Fprintln(a.Stdout, "The loop asks its workers to stop.")
	case f.stop:
		fmt.Fprintln(a.Stdout, "The loop ends after its current runs.")
	case runs:
		fmt.Fprintf(a.Stdout, "A loop is running (process %d, since %s): %s\n", in.PID, a.clock(in.Started), visible.Line(in.Says))
	default:
		fmt.Fprintln(a.Stdout, "No loop is running.")
	}
	if in.Paused {
		fmt.Fprintln(a.Stdout, "Starting runs is paused. `vespe run --continue` resumes it.")
	}
	return nil
}

func (a *app) clock(t time.Time) string { return t.Local().Format("15:04:05") }

// run runs the loop until it ends.
func (a *app) run(ctx context.Context, s *store.Store, desk *engine.Desk, f runFlags, args []string) error {
	snap, err := s.Load(ctx, nil)
	if err != nil {
		return err
	}
	o := engine.Options{Max: f.max, Idle: f.idle || len(args) > 0, Workers: f.workers, Worker: f.worker}
	for _, ref := range args {
		uid, err := snap.Find(ref)
		if err != nil {
			return err
		}
		o.Only = append(o.Only, uid)
	}
	if _, runs := desk.Loop(); runs && len(o.Only) > 0 && !f.dryRun {
		for _, uid := range o.Only {
			if err := desk.Want(uid); err != nil {
				return err
			}
		}
		them := "them"
		if len(o.Only) == 1 {
			them = "it"
		}
		fmt.Fprintln(a.Stdout, "The running loop takes "+them+" next.")
		return nil
	}
	o.Say = a.sayer()
	loop, err := a.Loops.Loop(ctx, s, o)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.printQueue(loop.Plan(snap))
	}
	ctx, hard, done := twoSignals(ctx)
	defer done()
	a.Wrote = true
	if f.eof {
		soft, stop := context.WithCancel(ctx)
		defer stop()
		go func() {
			_, _ = io.Copy(io.Discard, a.Stdin) // however it ends
			stop()
		}()
		ctx = soft
	}
	sum, err := loop.Run(ctx, hard)
	if errors.Is(err, engine.ErrRuns) {
		return &model.Refusal{Code: model.CodeConflict, Op: "run", Guard: "loop", Why: err.Error(), Hint: "`vespe run --status` shows what it does; `vespe run UID` gives it a task"}
	}
	if err != nil {
		return err
	}
	return a.printSummary(sum)
}

// twoSignals are a context that the first ctrl+c ends, and one that the second one ends.
func twoSignals(ctx context.Context) (soft, hard context.Context, done func()) {
	hard, kill := context.WithCancelCause(ctx)
	soft, stop := context.WithCancel(hard)
	came := make(chan os.Signal, 2)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over := make(chan struct{})
	go func() {
		for _, do := range []func(){stop, func() { kill(engine.ErrKilled) }} {
			select {
			case <-came:
				do()
			case <-over:
				return
			}
		}
	}()
	return soft, hard, func() {
		signal.Stop(came)
		close(over)
		stop()
		kill(nil)
	}
}

// sayer prints what the loop says, a line each: on standard error where standard output is for one object.
func (a *app) sayer() func(engine.Said) {
	var mu sync.Mutex
	to := a.Stderr
	if !a.JSON {
		to = a.Direct
	}
	return func(s engine.Said) {
		mu.Lock()
		defer mu.Unlock()
		what := visible.Line(runlog.FirstLine(s.Text))
		if s.Run == "" {
			fmt.Fprintf(to, "%s  %s\n", a.clock(s.At), what)
			return
		}
		fmt.Fprintf(to, "%s  %s  %s: %s\n", a.clock(s.At), s.Task.Short(), visible.Line(s.Name), what)
	}
}

func (a *app) printSummary(o engine.Summary) error {
	if a.JSON {
		if err := core.WriteJSON(a.Stdout, o); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.Stdout, "%d started, %d completed, %d failed, %d stopped, %d waiting for a person\n", o.Started, o.Completed, o.Failed, o.Canceled, o.Waiting)
		if o.Left > 0 {
			fmt.Fprintf(a.Stdout, "%d not finished:\n", o.Left)
			for _, why := range o.Why {
				fmt.Fprintln(a.Stdout, "  "+visible.Line(why))
			}
		}
	}
	switch {
	case o.Failed > 0:
		return &core.Shown{Code: core.ExitFailed}
	case o.Waiting > 0 || o.Left > 0:
		return &core.Shown{Code: core.ExitPending}
	}
	return nil
}

func (a *app) printQueue(list []engine.Planned) error {
	if a.JSON {
		return a.PrintMember("tasks", append([]engine.Planned{}, list...))
	}
	w := a.Prose(a.Stdout, 0)
	if len(list) == 0 {
		fmt.Fprintln(w, "Nothing is ready. `vespe ls is:plan-review` lists plans to review, `vespe task why UID` shows what a task waits for.")
	}
	for _, p := range list {
		what := "starts, by " + visible.Line(p.Worker)
		if !p.Start {
			what = "later: " + visible.Line(p.Why)
		}
		fmt.Fprintf(w, "%s  %s  %s\n", p.UID.Short(), core.Pad(visible.Line(p.Name), 40), what)
	}
	return nil
}

// app is one call of the program.
type app struct{ *core.App }

// Verbs are the verbs of this package.
func Verbs(c *core.App) []*cobra.Command {
	a := &app{c}
	return []*cobra.Command{
		a.runVerb(), a.runsVerb(), a.logsVerb(), a.cancelVerb(), a.integrateVerb(), a.demoVerb(),
	}
}
