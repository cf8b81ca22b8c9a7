package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/engine"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// runObject is a run, as runs prints it.
type runObject struct {
	Run        string     `json:"run"`
	UID        string     `json:"uid"`
	Name       string     `json:"name"`
	Worker     string     `json:"worker"`
	Attempt    int        `json:"attempt,omitempty"`
	StartedAt  *time.Time `json:"started_at,omitempty"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
	Outcome    string     `json:"outcome"` // "running" or "waiting" of one that continues
	Phase      string     `json:"phase,omitempty"`
	Action     string     `json:"action,omitempty"`
	Why        string     `json:"why,omitempty"`
	Result     string     `json:"result_commit,omitempty"`
	Integrated string     `json:"integrated_commit,omitempty"`
	Cost       float64    `json:"cost_usd,omitempty"`
	In         int64      `json:"input_tokens,omitempty"`
	Out        int64      `json:"output_tokens,omitempty"`
	Verified   bool       `json:"verified"`
	Tested     bool       `json:"tested"`
	Worktree   string     `json:"worktree,omitempty"`
}

func (a *app) runsVerb() *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use: "list [UID]", Aliases: []string{"runs"}, Short: "List runs, live ones first",
		Long:    "List the runs of all tasks, or of one: who, when, progress, cost and outcome.",
		Example: "  vespe run list\n  vespe run list 3f9a1c --json\n  vespe run list --live",
		GroupID: "run", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().BoolVar(&live, "live", false, "only live runs")
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		var of []model.UID
		if len(args) == 1 {
			uid, err := snap.Find(args[0])
			if err != nil {
				return nil, err
			}
			of = append(of, uid)
		} else {
			for i := range snap.Len() {
				if t := snap.At(i); !live || t.Status.CurrentRun != "" {
					of = append(of, t.UID)
				}
			}
		}
		list, err := a.runsOf(ctx, s, snap, of, live)
		if err != nil {
			return nil, err
		}
		return nil, a.printRuns(list)
	})
}

// runsOf are the runs of tasks, those that continue first and then the latest.
func (a *app) runsOf(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, of []model.UID, live bool) ([]runObject, error) {
	trees := a.worktrees(s)
	var out []runObject
	for _, uid := range of {
		list, err := s.Runs(ctx, uid)
		if err != nil {
			return nil, err
		}
		t, _ := snap.Task(uid)
		for _, r := range list {
			goesOn := r.Ended.IsZero() && t.Status.CurrentRun == r.ID
			if live && !goesOn {
				continue
			}
			o := runObject{
				Run: r.ID, UID: string(uid), Name: t.Config.Name, Worker: string(r.Worker), StartedAt: desk.TimeOrNil(r.Started), EndedAt: desk.TimeOrNil(r.Ended),
				Outcome: r.Outcome, Worktree: trees[r.ID],
			}
			if rep := r.Report; rep != nil {
				o.Attempt, o.Why, o.Result, o.Integrated, o.Cost, o.In, o.Out = rep.Attempt, rep.Why, rep.Result, rep.Integrated, rep.Cost, rep.In, rep.Out
				o.Verified, o.Tested, o.Phase = rep.Verified, rep.Tested, rep.Phase
			}
			if goesOn {
				a.liveRun(ctx, s, t, &o)
			}
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(x, y runObject) int {
		switch {
		case x.EndedAt == nil && y.EndedAt != nil:
			return -1
		case x.EndedAt != nil && y.EndedAt == nil:
			return 1
		}
		if x.StartedAt == nil || y.StartedAt == nil {
			return 0
		}
		return y.StartedAt.Compare(*x.StartedAt)
	})
	return out, nil
}

// liveRun adds what the events of a run that continues say.
func (a *app) liveRun(ctx context.Context, s *store.Store, t *model.Task, o *runObject) {
	o.Outcome, o.Attempt = "running", t.Status.RetryCount+1
	var v runlog.View
	if b, _, err := s.ReadRunFile(ctx, t.UID, o.Run, "output.jsonl", 0, maxEvents); err == nil {
		_, _ = v.Write(b)
	}
	o.Phase, o.Action, o.Cost, o.In, o.Out = string(v.Phase), v.Action, v.Cost, v.In, v.Out
	if v.Phase == runlog.PhaseWaiting || t.Status.IsPaused {
		o.Outcome = "waiting"
	}
}

// maxEvents is how much of a run's events is read at a time, in bytes.
const maxEvents = 64 << 20

// worktrees are where the runs of this machine that have not ended work.
func (a *app) worktrees(s *store.Store) map[string]string {
	out := map[string]string{}
	if a.Loops == nil {
		return out
	}
	desk, err := a.Loops.Desk(s.StoreID())
	if err != nil {
		return out
	}
	list, _ := desk.Live() // what cannot be read is not known
	for _, r := range list {
		out[r.Run] = r.Worktree
	}
	return out
}

// inWorktree begins the line that names the worktree of a run.
const inWorktree = "  works in "

func (a *app) printRuns(list []runObject) error {
	if a.JSON {
		return a.PrintMember("runs", append([]runObject{}, list...))
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Stdout, "No runs yet. `vespe run` starts one for each ready task.")
	}
	w, runs := a.Prose(a.Stdout, 0), 0
	for _, r := range list {
		runs = max(runs, utf8.RuneCountInString(r.Run))
	}
	for _, r := range list {
		what := r.Why
		switch {
		case r.EndedAt == nil && r.Phase == string(runlog.PhaseWaiting):
			what = r.Action
		case r.EndedAt == nil && r.Phase != "":
			what = r.Phase + ", " + r.Action
		case what == "" && r.Integrated != "":
			what = "integrated as " + r.Integrated[:min(10, len(r.Integrated))]
		}
		lasted := ""
		if r.StartedAt != nil {
			end := a.Now()
			if r.EndedAt != nil {
				end = *r.EndedAt
			}
			lasted = model.Lasting(end.Sub(*r.StartedAt))
		}
		cost := ""
		if r.Cost > 0 {
			cost = fmt.Sprintf("$%.2f", r.Cost)
		}
		line := strings.TrimSuffix(visible.Line(r.Name+": "+strings.TrimSuffix(what, ", ")), ": ")
		fmt.Fprintf(w, "%s  %s  %s  %s  %s  %s\n", core.Pad(visible.Line(r.Run), min(runs, 30)), model.UID(r.UID).Short(), core.Pad(lasted, 6), core.Pad(cost, 6), core.Pad(visible.Line(r.Outcome), 9), line)
		if r.Worktree != "" {
			fmt.Fprintf(w, "%s%s\n", inWorktree, visible.Line(r.Worktree))
		}
	}
	return nil
}

func (a *app) cancelVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "cancel RUN|UID", Short: "Stop a run; its task is ready again",
		Long: "Ask the loop to stop a run. It asks the worker to exit, and kills it if it doesn't. The work so\n" +
			"far is saved as refs/vespe/RUN/result. A running loop starts the task again after `vespe run UID`,\n" +
			"or when its plan is accepted again. If no loop is running, this command ends what is left of the\n" +
			"run.",
		Example: "  vespe run cancel run-019a…\n  vespe run cancel 3f9a1c",
		GroupID: "run", Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := a.Writer(); err != nil {
			return err
		}
		s, err := a.openLoop("cancel")
		if err != nil {
			return err
		}
		snap, err := s.Load(cmd.Context(), nil)
		if err != nil {
			return err
		}
		uid, run, err := a.findRun(cmd.Context(), s, snap, args[0])
		if no := (*model.Refusal)(nil); errors.As(err, &no) {
			no.Op = model.StopRun
		}
		if err != nil {
			return err
		}
		t, _ := snap.Task(uid)
		if err := a.GuardPerson(model.StopRun, uid, t.Config.Name, true); err != nil {
			return err
		}
		if t.Status.CurrentRun != run {
			return &model.Refusal{Code: model.CodeRefused, Op: "stop_run_of", UID: uid, Task: t.Config.Name, Guard: "run", Why: run + " has ended", Hint: "`vespe run list " + string(uid) + "`"}
		}
		return a.cancel(cmd.Context(), s, uid, run)
	}
	return c
}

func (a *app) cancel(ctx context.Context, s *store.Store, uid model.UID, run string) error {
	desk, err := a.Loops.Desk(s.StoreID())
	if err != nil {
		return err
	}
	err = desk.Cancel(run)
	switch {
	case errors.Is(err, engine.ErrNoLoop):
		loop, err := a.Loops.Loop(ctx, s, engine.Options{Say: a.sayer()})
		if err != nil {
			return err
		}
		if err := loop.CancelLeft(ctx, run); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if err := a.awaitEnd(ctx, s, uid, run); err != nil {
			return err
		}
	}
	a.Wrote = true
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Run string `json:"run"`
			UID string `json:"uid"`
		}{run, string(uid)})
	}
	fmt.Fprintln(a.Stdout, run+" was stopped.")
	return nil
}

// cancelWait is how long a run may take to end that was asked to.
const cancelWait = 30 * time.Second

// awaitEnd waits until a task has a run no more.
func (a *app) awaitEnd(ctx context.Context, s *store.Store, uid model.UID, run string) error {
	ctx, cancel := context.WithTimeout(ctx, cancelWait)
	defer cancel()
	for {
		snap, err := s.Refresh(ctx)
		if err == nil {
			if t, ok := snap.Task(uid); !ok || t.Status.CurrentRun != run {
				return nil
			}
			_, err = s.Await(ctx, snap.Seq(), logWait)
		}
		if err != nil {
			if ctx.Err() != nil {
				return &model.Refusal{Code: model.CodePending, Op: "stop_run_of", UID: uid, Guard: "run", Why: "it has been asked to stop and is still running", Hint: "`vespe run list --live` shows it"}
			}
			return err
		}
	}
}
