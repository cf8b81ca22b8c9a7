package look

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// historyOptions are the flags of history.
type historyOptions struct {
	limit  int // 0: all
	follow bool
	diff   bool
}

func (a *app) historyVerb() *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use: "history [UID]", Short: "Show everything that happened to a task: who, when, why",
		Long: "Show everything that happened to a task: who, when, why. --diff shows what each revision of its\n" +
			"objective and plan changed. Without UID, show the newest events of the whole store, as far back\n" +
			"as its log reaches. --follow prints new events as they happen; with --json, one object per line.",
		Example: "  vespe task history 3f9a1c\n  vespe task history 3f9a1c --diff\n  vespe task history --limit 50\n  vespe task history --follow",
		GroupID: "task", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}
	c.Flags().IntVar(&o.limit, "limit", 0, "how many of the newest events to show (default without UID: 20)")
	c.Flags().BoolVar(&o.follow, "follow", false, "follow new events until ctrl+c")
	c.Flags().BoolVar(&o.diff, "diff", false, "show what each revision changed")
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
	t := teller{a: a, ctx: ctx, s: s, diff: o.diff}
	if o.follow {
		for len(events) > 0 && events[len(events)-1].Seq > at {
			events = events[:len(events)-1]
		}
	}
	if o.limit > 0 && len(events) > o.limit {
		events = events[len(events)-o.limit:]
	}
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
		if err := t.print(&events[i], false); err != nil {
			return err
		}
	}
	a.PrintProblems(problems)
	return nil
}

// teller prints events, with the differences that revisions made when these are wanted.
type teller struct {
	a    *app
	ctx  context.Context //nolint:containedctx // it lives as long as one verb
	s    *store.Store
	diff bool
}

// print is one event on a line, after its task where the lines are of several, and its
// differences on the lines that follow.
func (t *teller) print(e *model.Event, whose bool) error {
	states := ""
	if e.From != e.To && e.To != "" {
		states = "→ " + visible.Line(e.To.Label(true))
		if e.From != "" {
			states = visible.Line(e.From.Label(false)) + " " + states
		}
	}
	text := e.RowWords()
	if text == "" && states == "" {
		text = e.Summary
	}
	if whose && e.Summary != "" { // which names the task
		states, text = "", model.RowText(e.Summary, text)
	}
	columns := []string{
		toTheSecond(e.At.UTC()), core.Pad(visible.Line(string(e.Actor)), 20), core.Pad(visible.Line(e.Channel), 9),
		core.Pad(visible.Line(e.Name.Title()), 16),
	}
	if whose {
		columns = append([]string{core.Pad(e.UID.Short(), 8)}, columns...)
	} else {
		columns = append(columns, core.Pad(states, 25))
	}
	line := strings.Join(append(columns, visible.Line(text)), "  ")
	fmt.Fprintln(t.a.Stdout, strings.TrimRight(line, " "))
	revisions, err := t.revisions(e)
	if err != nil {
		return err
	}
	for _, r := range revisions {
		body := r.Diff
		if body == "" {
			body = r.Problem
		}
		for l := range strings.Lines(body) {
			fmt.Fprintln(t.a.Stdout, "    "+visible.Line(strings.TrimSuffix(l, "\n"))) // a blank line of a difference is a blank
		}
	}
	return nil
}

// object is an event as JSON has it.
func (t *teller) object(e *model.Event) (core.EventObject, error) {
	o := core.EventOf(*e)
	var err error
	o.Revisions, err = t.revisions(e)
	return o, err
}

// revisions are what the documents that an event recorded differ in from those before.
func (t *teller) revisions(e *model.Event) ([]core.RevisionObject, error) {
	if !t.diff {
		return nil, nil
	}
	var out []core.RevisionObject
	for _, r := range e.Recorded() {
		o := core.RevisionObject{Document: string(r.Doc), Revision: r.N}
		now, err := t.s.Revision(t.ctx, e.UID, r.Doc, r.N)
		var old model.Content
		before := "/dev/null"
		if err == nil && r.N > 1 {
			before = fmt.Sprintf("%s revision %d", r.Doc, r.N-1)
			old, err = t.s.Revision(t.ctx, e.UID, r.Doc, r.N-1)
		}
		switch {
		case errors.Is(err, model.ErrNoContent):
			o.Problem = err.Error()
		case err != nil:
			return nil, err
		case string(old.Body) == string(now.Body):
			o.Problem = fmt.Sprintf("revision %d of the %s is the same as the one before", r.N, r.Doc)
		default:
			o.Diff = core.Unified(before, fmt.Sprintf("%s revision %d", r.Doc, r.N), string(old.Body), string(now.Body))
		}
		out = append(out, o)
	}
	return out, nil
}
