package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/runlog"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) logsVerb() *cobra.Command {
	var follow bool
	var last int
	c := &cobra.Command{
		Use: "logs RUN|UID", Short: "Show what a run did, event by event",
		Long: "Show the events of a run: its phases, the worker's messages and calls, the checks. For a task,\n" +
			"show its live run, else its last one. --json prints one object per line, as in output.jsonl. The\n" +
			"worker's own output is stream.log in the directory of the run.",
		Example: "  vespe run logs run-019a…\n  vespe run logs 3f9a1c -f\n  vespe run logs 3f9a1c --last 20 --json",
		GroupID: "run", Args: core.Between(1, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow new events until the run ends or ctrl+c")
	c.Flags().IntVar(&last, "last", 0, "how many of the last events to show; 0 means all")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if last < 0 {
			return core.Usagef("--last can't be negative")
		}
		s, snap, err := a.Load(cmd.Context())
		if err != nil {
			return err
		}
		uid, run, err := a.findRun(cmd.Context(), s, snap, args[0])
		if err != nil {
			return err
		}
		if tree := a.worktrees(s)[run]; tree != "" && !a.JSON {
			fmt.Fprintf(a.Stdout, "%s%s%s\n", run, inWorktree, visible.Line(tree))
		}
		return a.logs(cmd.Context(), s, uid, run, last, follow)
	}
	return c
}

// findRun is the run that is meant: by its id or the beginning of one, or by its task.
func (a *app) findRun(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, ref string) (model.UID, string, error) {
	if !strings.HasPrefix(ref, "run-") {
		uid, err := snap.Find(ref)
		if err != nil {
			return "", "", err
		}
		list, err := s.Runs(ctx, uid)
		if err != nil {
			return "", "", err
		}
		if len(list) == 0 {
			t, _ := snap.Task(uid)
			return "", "", &model.Refusal{
				Code: model.CodeNotFound, Op: "show_logs_of", UID: uid, Task: t.Config.Name, Guard: "run",
				Why: "it has no runs", Hint: "`vespe run " + ref + "` starts one",
			}
		}
		return uid, list[len(list)-1].ID, nil
	}
	type found struct {
		uid model.UID
		run string
	}
	var hits []found
	for i := range snap.Len() {
		uid := snap.At(i).UID
		list, err := s.Runs(ctx, uid)
		if err != nil {
			return "", "", err
		}
		for _, r := range list {
			if r.ID == ref {
				return uid, r.ID, nil
			}
			if strings.HasPrefix(r.ID, ref) {
				hits = append(hits, found{uid, r.ID})
			}
		}
	}
	switch len(hits) {
	case 0:
		return "", "", &model.Refusal{Code: model.CodeNotFound, Op: "show_logs_of", Guard: "run", Why: "unknown run " + ref, Hint: "`vespe run list` lists them"}
	case 1:
		return hits[0].uid, hits[0].run, nil
	}
	return "", "", &model.Refusal{Code: model.CodeAmbiguous, Op: "show_logs_of", Guard: "run", Why: fmt.Sprintf("%d runs start with %s", len(hits), ref), Hint: "give more of the id"}
}

const logWait = 300 * time.Millisecond // between two looks at the events of a run that is followed

// logs prints the events of a run.
func (a *app) logs(ctx context.Context, s *store.Store, uid model.UID, run string, last int, follow bool) error {
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	var (
		rest   []byte
		offset int64
		seen   loggedBefore
	)
	for first := true; ; first = false {
		b, size, err := s.ReadRunFile(ctx, uid, run, "output.jsonl", offset, maxEvents)
		if err != nil && (!follow || !errors.Is(err, model.ErrNoContent)) {
			if errors.Is(err, model.ErrNoContent) {
				fmt.Fprintln(a.Stderr, "No log for "+visible.Line(run)+": it wasn't started by `vespe run`, or it has just started.")
				err = nil
			}
			return err
		}
		offset += int64(len(b))
		lines := bytes.Split(append(rest, b...), []byte("\n"))
		rest = bytes.Clone(lines[len(lines)-1])
		lines = lines[:len(lines)-1]
		if first && last > 0 && len(lines) > last {
			lines = lines[len(lines)-last:]
		}
		over := false
		for _, line := range lines {
			over = a.printRunEvent(line, &seen) || over
		}
		goesOn := offset < size && len(b) > 0
		if !follow && !goesOn {
			a.printCount(&seen)
		}
		if err := a.Out.Flush(); err != nil {
			return err
		}
		if goesOn {
			continue
		}
		if !follow || over || offset < size {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(logWait):
		}
	}
}

// loggedBefore is what has come of a log by which the next event is printed or not.
type loggedBefore struct {
	count runlog.Event // of cost and tokens, the last one that was not printed
	done  string       // the call that ended last
}

// printRunEvent prints one line of output.jsonl, and says whether it is the last one. Of the counts of cost and
// tokens, which a client prints with every message, people see the last one of a phase; of a file that a call
// wrote they see the call.
func (a *app) printRunEvent(line []byte, seen *loggedBefore) (over bool) {
	e, err := runlog.Parse(line)
	over = err == nil && e.Kind == runlog.KindPhase && e.Phase == runlog.PhaseEnded
	if a.JSON {
		if err == nil { // as it is, but for what a terminal would obey
			fmt.Fprintln(a.Stdout, visible.JSON(string(bytes.TrimRight(line, "\r"))))
		}
		return over
	}
	switch {
	case err == nil && e.Kind == runlog.KindCost:
		seen.count = e
		return false
	case err == nil && e.Kind == runlog.KindEdit && e.ID != "" && e.ID == seen.done:
		return false
	case e.Kind == runlog.KindPhase:
		a.printCount(seen)
	case e.Kind == runlog.KindTool && e.Done:
		seen.done = e.ID
	}
	a.printLogged(e)
	return over
}

// printCount prints a count that was kept back.
func (a *app) printCount(seen *loggedBefore) {
	if seen.count.Kind != "" {
		a.printLogged(seen.count)
		seen.count = runlog.Event{}
	}
}

// printLogged prints an event for people.
func (a *app) printLogged(e runlog.Event) {
	at, w := "        ", a.Prose(a.Stdout, 0)
	if !e.At.IsZero() {
		at = a.clock(e.At)
	}
	text := eventText(e)
	for k, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if k > 0 {
			at = "        "
		}
		fmt.Fprintf(w, "%s  %s\n", at, visible.Line(l))
	}
}

// eventText is an event for people.
func eventText(e runlog.Event) string {
	switch e.Kind {
	case runlog.KindPhase:
		if e.Text != "" {
			return "── " + string(e.Phase) + ": " + e.Text
		}
		return "── " + string(e.Phase)
	case runlog.KindTool, runlog.KindCommand:
		name := e.Tool
		if e.Kind == runlog.KindCommand {
			name = "$"
		}
		if !e.Done {
			return strings.TrimSpace(name + " " + e.Text)
		}
		out := "  ok"
		if e.Failed {
			out = "  failed"
			if e.Exit != 0 {
				out = fmt.Sprintf("  failed with exit code %d", e.Exit)
			}
		}
		if e.Text != "" {
			out += "\n    " + strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n    ")
		}
		return out
	case runlog.KindEdit:
		return "edit " + e.Path
	case runlog.KindCost:
		cost := ""
		if e.Cost > 0 {
			cost = fmt.Sprintf("$%.4f so far, ", e.Cost)
		}
		return cost + fmt.Sprintf("%d tokens in, %d out", e.In, e.Out)
	case runlog.KindAsk:
		return "asks a person (" + e.ID + "): " + e.Text
	case runlog.KindSpawn:
		return "created the subtask " + e.ID + ": " + e.Text
	case runlog.KindCheck:
		if e.Check == nil {
			return "check"
		}
		if !e.Done {
			return "check: " + e.Check.Name
		}
		return checkText(e.Check)
	case runlog.KindError:
		return "error: " + e.Text
	}
	return e.Text
}

func checkText(c *runlog.Evidence) string {
	out := "  " + strings.ReplaceAll(string(c.Status), "_", " ") + ": " + c.Name
	if c.Why != "" {
		out += ": " + c.Why
	}
	if c.Status == runlog.Fail && c.Output != "" {
		out += "\n    " + strings.ReplaceAll(strings.TrimRight(c.Output, "\n"), "\n", "\n    ")
	}
	return out
}
