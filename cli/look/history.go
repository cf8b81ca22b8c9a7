package look

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// historyOptions are the flags of history.
type historyOptions struct {
	activityOptions      // its limit is 0 for all
	when            span // what they say of the time
	follow          bool
}

// chosen are the events that the flags choose, with a limit the newest.
func (o *historyOptions) chosen(events []model.Event, limit int) []model.Event {
	events = slices.DeleteFunc(events, func(e model.Event) bool {
		by := func(word string) bool { return history.IsActor(e.Actor, word) }
		return !o.when.has(e.At) || len(o.by) > 0 && !slices.ContainsFunc(o.by, by)
	})
	if limit > 0 {
		events = events[max(0, len(events)-limit):]
	}
	return events
}

func (a *app) historyVerb() *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use: "history [UID]", Short: "Show what happened in the store, or to one task",
		Long: "Show everything that happened to a task, oldest first. Without UID, show the newest events of the\n" +
			"whole store, newest first as in git log; with --json, oldest first and as far back as its log reaches.\n" +
			"--follow prints new events as they happen; with --json, one object per line.",
		Example: "  vespe history\n  vespe history 3f9a1c\n  vespe history --by ann --since yesterday\n  vespe history --follow",
		GroupID: "task", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	o.add(c)
	c.Flags().IntVar(&o.limit, "limit", 0, "how many of the newest events to show (default without UID, --since and --until: 20)")
	c.Flags().BoolVar(&o.follow, "follow", false, "follow new events until ctrl+c")
	var found model.UID
	a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) (_ []model.UID, err error) {
		if found, err = snap.Find(args[0]); err != nil || o.follow {
			return nil, err
		}
		return []model.UID{found}, a.historyOf(ctx, s, found, o)
	})
	ofTask := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed("limit") && o.limit < 1 {
			return core.Usagef("--limit is %d; it must be 1 or more", o.limit)
		}
		var err error
		if o.when, err = a.span(o.activityOptions); err != nil {
			return err
		}
		if len(args) == 0 {
			return a.feed(cmd.Context(), o)
		}
		if err := ofTask(cmd, args); err != nil || !o.follow {
			return err
		}
		s, err := a.Open() // what is followed is printed as it comes, and not when it is complete
		if err != nil {
			return err
		}
		return a.historyOf(cmd.Context(), s, found, o)
	}
	return c
}

// historyOf prints what happened to one task, as its own files tell it.
func (a *app) historyOf(ctx context.Context, s *store.Store, uid model.UID, o historyOptions) error {
	at, err := s.Head(ctx) // before reading: nothing falls between what is read and what is followed
	if err != nil {
		return err
	}
	events, problems, err := s.History(ctx, uid)
	if err != nil {
		return err
	}
	t := teller{a: a, ctx: ctx, s: s, o: o}
	if o.follow {
		for len(events) > 0 && events[len(events)-1].Seq > at {
			events = events[:len(events)-1]
		}
	}
	events = o.chosen(events, o.limit)
	if o.follow {
		core.WriteProblems(a.Stderr, problems)
		return t.follow(events, at, uid)
	}
	if a.JSON {
		return t.printAll(events, problems)
	}
	if len(events) == 0 {
		fmt.Fprintln(a.Stdout, "No history.")
	}
	for i := range events {
		t.print(&events[i], false)
	}
	a.PrintProblems(problems)
	return nil
}

// teller prints events.
type teller struct {
	a   *app
	ctx context.Context //nolint:containedctx // it lives as long as one verb
	s   *store.Store
	o   historyOptions
}

// print is one event on a line, after its task where the lines are of several.
func (t *teller) print(e *model.Event, whose bool) {
	states := ""
	if e.From != e.To && e.To != "" {
		states = "→ " + visible.Line(e.To.Label(true))
		if e.From != "" {
			states = visible.Line(e.Left()) + " " + states
		}
	}
	text := e.RowWords()
	if text == "" && states == "" {
		text = e.Summary
	}
	if whose {
		t.a.printEvent(e.At, e.Actor, model.RowText(e.Summary, text), e.UID) // the summary names the task
		return
	}
	line := strings.Join([]string{
		toTheMinute(e.At), core.Pad(visible.Line(string(e.Actor)), 12), core.Pad(visible.Line(e.Channel), 3),
		core.Pad(visible.Line(e.Name.Past()), 16), core.Pad(states, 25), visible.Line(text),
	}, "  ")
	fmt.Fprintln(t.a.Prose(t.a.Stdout, 0), strings.TrimRight(line, " "))
}
