package look

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/agents/desk"
	"vespe/cli/core"
	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) nextVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "next", Short: "List ready tasks, best first",
		Long: "List tasks with an accepted plan and completed dependencies, sorted by priority, then by\n" +
			"milestone order, then by the longest chain of work that starts with them, then by age.\n" +
			"`vespe task why UID` explains the rank of a task. If no task is ready, the output says what\n" +
			"blocks them; this is not an error.",
		Example: "  vespe next\n  vespe next --limit 5 --json",
		GroupID: "task", Args: core.Between(0, 0),
	}
	c.Flags().IntVar(&limit, "limit", 1, "maximum number of tasks")
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, _ []string) ([]model.UID, error) {
		if limit < 1 {
			return nil, core.Usagef("--limit is %d; it must be 1 or more", limit)
		}
		return a.printNext(snap, limit)
	})
}

func (a *app) printNext(snap *snapshot.Snapshot, limit int) ([]model.UID, error) {
	found := schedule.Next(snap, limit)
	if a.JSON {
		return core.UIDsOf(snap, found), core.WriteJSON(a.Stdout, nextOf(snap, found))
	}
	if len(found) == 0 {
		fmt.Fprintln(a.Stdout, "Nothing is ready.")
		if n := snap.InboxLen(); n > 0 {
			wait := "wait"
			if n == 1 {
				wait = "waits"
			}
			fmt.Fprintf(a.Stdout, "%d %s for a person: vespe inbox\n", n, wait)
		}
		unconfirmed := snapshot.Unconfirmed(snap)
		for _, i := range unconfirmed[:min(len(unconfirmed), fewUnconfirmed)] {
			t := snap.At(int(i))
			fmt.Fprintf(a.Stdout, "  %s  %s: %s\n", t.UID.Short(), core.Title(t), t.ElsewhereWords())
		}
		if more := len(unconfirmed) - fewUnconfirmed; more > 0 {
			fmt.Fprintf(a.Stdout, "  %d more: vespe inbox --limit 0 lists all\n", more)
		}
		return a.PrintDeadlocks(snap, fewCauses), nil
	}
	return core.UIDsOf(snap, found), a.printList(snap, found, len(found))
}

// standingObject is the place of a task among what is ready, and why it has it.
type standingObject struct {
	UID     string   `json:"uid"`
	Place   int      `json:"place"`
	Of      int      `json:"of"`
	Reasons []string `json:"reasons"`
}

func standingOf(snap *snapshot.Snapshot, i int) *standingObject {
	st, ok := schedule.Of(snap).WhyNext(i)
	if !ok {
		return nil
	}
	return &standingObject{string(snap.UID(i)), st.Place, st.Of, append(st.Reasons, schedule.Of(snap).Prospects(i)...)}
}

func nextOf(snap *snapshot.Snapshot, found []int32) any {
	out := struct {
		Tasks     []core.TaskObject     `json:"tasks"`
		Total     int                   `json:"total"`
		Deadlocks []core.DeadlockObject `json:"deadlocks,omitempty"`
	}{Tasks: []core.TaskObject{}, Total: len(found)}
	for _, i := range found {
		out.Tasks = append(out.Tasks, core.TaskOf(snap, int(i)))
	}
	if len(found) == 0 {
		out.Deadlocks = core.DeadlocksOf(snap)
	}
	return out
}

// How many deadlocks, and acceptances from elsewhere, are told of where nothing is ready.
const fewCauses, fewUnconfirmed = 3, 10

func (a *app) wavesVerb() *cobra.Command {
	var workers, limit int
	c := &cobra.Command{
		Use: "waves", Short: "Show what can run in parallel, and how long everything takes",
		Long: "Show the open work in waves. The tasks of a wave don't wait for each other and share no\n" +
			"files (to create, to modify, tests), so they can run at once. Plans under review are\n" +
			"included. The duration of a task comes from its earlier runs, else from its complexity,\n" +
			"calibrated with completed tasks. A * marks the critical path: a delay there delays everything.",
		Example: "  vespe task waves\n  vespe task waves --workers 3 --json",
		GroupID: "task", Args: core.Between(0, 0),
	}
	c.Flags().IntVar(&workers, "workers", 0, "maximum number of tasks per wave; 0 means no limit")
	c.Flags().IntVar(&limit, "limit", 0, "maximum number of waves; 0 means all")
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, _ []string) ([]model.UID, error) {
		if workers < 0 || limit < 0 {
			return nil, core.Usagef("--workers and --limit must be 0 or more")
		}
		waves := schedule.Of(snap).Waves(workers)
		total, inTurn := len(waves), time.Duration(0)
		for _, w := range waves {
			inTurn += min(w.Takes, math.MaxInt64-inTurn)
		}
		if limit > 0 && total > limit {
			waves = waves[:limit]
		}
		var printed []model.UID
		for _, w := range waves {
			for _, t := range w.Tasks {
				printed = append(printed, snap.UID(int(t.Task)))
			}
		}
		if a.JSON {
			return printed, core.WriteJSON(a.Stdout, wavesOf(snap, waves, total, inTurn))
		}
		return append(printed, a.printWaves(snap, waves, total, inTurn)...), nil
	})
}

type waveObject struct {
	Seconds int              `json:"seconds"` // of the longest task in it
	Tasks   []waveTaskObject `json:"tasks"`
}

type waveTaskObject struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	desk.TaskStatus
	Schedule scheduleObject `json:"schedule"`
	After    string         `json:"after,omitempty"` // the task of an earlier wave that has
	File     string         `json:"file,omitempty"`  // this file, too
}

// scheduleObject is what the schedule says of one open task. Times are seconds from now.
type scheduleObject struct {
	Seconds  int    `json:"seconds"` // that it takes itself
	Source   string `json:"source"`  // runs, complexity or none
	Start    *int   `json:"start,omitempty"`
	Finish   *int   `json:"finish,omitempty"`
	Slack    *int   `json:"slack,omitempty"`
	Critical bool   `json:"critical"`
	Stuck    bool   `json:"stuck,omitempty"`
	Behind   int    `json:"behind"` // seconds of the longest chain that begins with it
}

func scheduleOf(snap *snapshot.Snapshot, i int) scheduleObject {
	c := schedule.Of(snap)
	effort, how := c.Effort(i)
	o := scheduleObject{
		Seconds: int(effort.Seconds()), Source: how.String(), Critical: c.Critical(i), Stuck: c.IsStuck(i), Behind: int(c.Behind(i).Seconds()),
	}
	if start, finish, slack, ok := c.Span(i); ok {
		s, f, l := int(start.Seconds()), int(finish.Seconds()), int(slack.Seconds())
		o.Start, o.Finish, o.Slack = &s, &f, &l
	}
	return o
}

func wavesOf(snap *snapshot.Snapshot, waves []schedule.Wave, total int, inTurn time.Duration) any {
	c := schedule.Of(snap)
	out := struct {
		Waves     []waveObject          `json:"waves"`
		Total     int                   `json:"total"`
		Open      int                   `json:"open"`
		Stuck     int                   `json:"stuck"`
		Seconds   int                   `json:"seconds"`         // the critical path: all of it takes so long at least
		InTurn    int                   `json:"in_turn_seconds"` // all waves, one after the other
		Scale     float64               `json:"scale"`           // by which estimates from complexity are multiplied
		Critical  []string              `json:"critical_path"`
		Deadlocks []core.DeadlockObject `json:"deadlocks"`
	}{
		Waves: []waveObject{}, Total: total, Open: c.Open, Stuck: c.Stuck, Seconds: int(c.Total.Seconds()), InTurn: int(inTurn.Seconds()), Scale: c.Scale,
		Critical: core.IndexUIDs(snap, c.Path), Deadlocks: core.DeadlocksOf(snap),
	}
	for _, w := range waves {
		o := waveObject{Seconds: int(w.Takes.Seconds()), Tasks: []waveTaskObject{}}
		for _, t := range w.Tasks {
			i := int(t.Task)
			x := waveTaskObject{UID: string(snap.UID(i)), Name: snap.Name(i), TaskStatus: desk.StatusOf(snap, i), Schedule: scheduleOf(snap, i), File: t.File}
			if t.With >= 0 {
				x.After = string(snap.UID(int(t.With)))
			}
			o.Tasks = append(o.Tasks, x)
		}
		out.Waves = append(out.Waves, o)
	}
	return out
}

// printWaves prints waves, the first of total ones that take inTurn one after the other.
func (a *app) printWaves(snap *snapshot.Snapshot, waves []schedule.Wave, total int, inTurn time.Duration) []model.UID {
	c, w := schedule.Of(snap), a.Prose(a.Stdout, 0)
	if total == 0 {
		if snap.Len() == 0 {
			fmt.Fprintln(w, a.NoTasks())
			return nil
		}
		fmt.Fprintln(w, "No open task can be completed.")
		return a.PrintDeadlocks(snap, core.MostCauses)
	}
	for k, wave := range waves {
		fmt.Fprintf(w, "Wave %d, %s:\n", k+1, model.Lasting(wave.Takes))
		for _, t := range wave.Tasks {
			i := int(t.Task)
			mark := " "
			if c.Critical(i) {
				mark = "*"
			}
			effort, _ := c.Effort(i)
			line := mark + " " + snap.UID(i).Short() + "  " + a.StatusCell(snap, i) + "  " +
				core.Pad(model.Lasting(effort), 6) + "  " + core.Title(snap.At(i))
			if t.With >= 0 {
				line += "  (after " + core.Title(snap.At(int(t.With))) + ", which uses " + visible.Line(t.File) + ")"
			}
			fmt.Fprintln(w, line)
		}
	}
	if total > len(waves) {
		fmt.Fprintf(w, "… %d more waves\n", total-len(waves))
	}
	fmt.Fprintf(w, "All work takes at least %s (critical path, marked *), or %s wave by wave.\n", model.Lasting(c.Total), model.Lasting(inTurn))
	if c.Scale != 1 {
		fmt.Fprintf(w, "Estimates are scaled by %.3g, based on %d completed tasks.\n", c.Scale, c.Known)
	}
	return a.PrintDeadlocks(snap, core.MostCauses)
}

func (a *app) whyVerb() *cobra.Command {
	return a.ViewTask(&cobra.Command{
		Use: "why UID", Short: "Show why a task is blocked or next, and when it can end",
		Long: "Show everything that a task waits for, down to the causes, with the next step for each, and\n" +
			"when it can end. A ready task shows its rank, a changed task what changed.",
		Example: "  vespe task why 3f9a1c\n  vespe task why \"Parse config\" --json",
		GroupID: "task",
	}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		return core.Around(snap, i), a.why(snap, i)
	})
}

func reasonsOf(list []snapshot.Reason) []core.ReasonObject {
	out := []core.ReasonObject{}
	for _, r := range list {
		out = append(out, core.ReasonObject{UID: string(r.UID), Name: r.Name, Status: r.Status.String(), Text: r.Text, Depth: r.Depth})
	}
	return out
}

func (a *app) why(snap *snapshot.Snapshot, i int) error {
	t := snap.At(i)
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Task     core.TaskObject     `json:"task"`
			Why      []core.ReasonObject `json:"why"`
			Next     *standingObject     `json:"next,omitempty"`
			When     []string            `json:"when"`
			Schedule scheduleObject      `json:"schedule"`
			Changed  []core.DiffObject   `json:"changed,omitempty"` // since it was accepted; was and now are hashes
		}{
			core.TaskOf(snap, i), reasonsOf(snap.Why(i)), standingOf(snap, i), append([]string{}, schedule.Of(snap).Prospects(i)...), scheduleOf(snap, i),
			core.ChangesOf(snap, t),
		})
	}
	w := a.Prose(a.Stdout, 0)
	row := core.FieldsTo(w)
	fmt.Fprintf(w, "%s  %s  %s\n", core.Title(t), a.StatusText(snap, i), t.UID.Short())
	if over := snap.Over(i); over != "" {
		row("why", over)
	}
	for _, r := range snap.Why(i) {
		fmt.Fprintf(w, "  %s %s%s\n", core.Pad("why", 12), strings.Repeat("  ", r.Depth), visible.Line(r.Text))
	}
	for _, c := range core.ChangesOf(snap, t) {
		row("changed", fmt.Sprintf("%s: %s → %s", model.FileOf(snap, c.File), core.ShortHash(c.Was), core.ShortHash(c.Now)))
	}
	if len(snap.Changes(t)) > 0 {
		row("", "the difference: vespe plan diff "+t.UID.Short()+" --approved")
	}
	if st, ok := schedule.Of(snap).WhyNext(i); ok {
		row("next", fmt.Sprintf("ready, the %s of %d", schedule.Ordinal(st.Place), st.Of))
		for _, line := range st.Reasons {
			row("", line)
		}
	}
	label := "when"
	for _, line := range schedule.Of(snap).Prospects(i) {
		row(label, line)
		label = ""
	}
	return nil
}
