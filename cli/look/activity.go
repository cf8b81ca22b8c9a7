package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// activityObject is an event of the activity feed. Its reason is at most 1,000 bytes, and may be what was asked or answered.
type activityObject struct {
	feedObject
	Name string `json:"name"` // of the task, "" when it has gone
	Kind string `json:"kind"`
}

type countObject struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// activityOptions are the flags that choose events.
type activityOptions struct {
	by, kinds    []string
	since, until string
	limit        int
}

func (o *activityOptions) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&o.by, "by", nil, "only events by these actors: agent:claude, claude, or agent for all agents")
	c.Flags().StringVar(&o.since, "since", "", "only events since this time or duration, as for vespe task at")
	c.Flags().StringVar(&o.until, "until", "", "only events until then")
}

// span is a time from and to; zero is open.
type span struct{ from, to time.Time }

func (p span) has(at time.Time) bool { return !at.Before(p.from) && (p.to.IsZero() || !at.After(p.to)) }

const activityLimit = 50 // events, when nobody says how many

func (a *app) activityVerb() *cobra.Command {
	var o activityOptions
	c := &cobra.Command{
		Use: "activity [FILTER…]", Short: "Show events of the whole store, by actor and kind",
		Long: "Show the events of all tasks, newest first; with --json, newest last. A filter as in ls limits the\n" +
			"tasks. A kind is " + strings.Join(kindWords(), ", ") + ", or the name of an event.",
		Example: "  vespe store activity --by agent --since 2h\n  vespe store activity --kind verdict,request under:3f9a1c",
		GroupID: "store", ValidArgsFunction: core.CompleteFilter,
	}
	o.add(c)
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "actor" {
			name = "by"
		}
		return pflag.NormalizedName(name)
	})
	c.Flags().StringSliceVar(&o.kinds, "kind", nil, "only events of these kinds")
	c.Flags().IntVar(&o.limit, "limit", activityLimit, "how many of the newest events to show; 0 means all")
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		sieve, when, err := a.sieve(snap, o, args)
		if err != nil {
			return nil, err
		}
		j, err := a.readJournal(ctx, s, isFresh(c))
		if err != nil {
			return nil, err
		}
		return nil, a.printActivity(snap, j, j.Activity(sieve), when, o.limit)
	})
}

func kindWords() []string {
	var out []string
	for k := range history.NumEventKinds {
		out = append(out, k.String())
	}
	return out
}

// readJournal is what happened in the store; what has been read once is only brought up to date.
func (a *app) readJournal(ctx context.Context, s *store.Store, fresh bool) (*history.Journal, error) {
	read := func() (*history.Journal, error) { return s.Journal(ctx, a.Journal, nil) }
	if fresh && a.Journal == nil {
		read = func() (*history.Journal, error) { return s.JournalFresh(ctx, nil) }
	}
	j, err := read()
	if err == nil {
		a.Journal = j
	}
	return j, err
}

// isFresh reports whether a view was asked to look at every file.
func isFresh(c *cobra.Command) bool {
	f := c.Flags().Lookup("fresh")
	return f != nil && f.Value.String() == "true"
}

// sieve is what the flags and the filter choose.
func (a *app) sieve(snap *snapshot.Snapshot, o activityOptions, args []string) (history.Sieve, span, error) {
	s := history.Sieve{Actors: o.by}
	if o.limit < 0 {
		return s, span{}, core.Usagef("--limit is %d; it must be 0 or more", o.limit)
	}
	for _, word := range o.kinds {
		if k, ok := history.ParseEventKind(word); ok {
			s.Kinds = append(s.Kinds, k)
			continue
		}
		name := model.Name(strings.ReplaceAll(strings.ToLower(word), "-", "_"))
		if !history.IsEvent(name) {
			return s, span{}, core.Usagef("--kind is %q; it must be %s, or the name of an event such as accept_plan", word, strings.Join(kindWords(), ", "))
		}
		s.Names = append(s.Names, name)
	}
	when, err := a.span(o)
	if err != nil {
		return s, when, err
	}
	test, err := filterTest(snap, args)
	if err == nil && test != nil {
		s.Tasks = func(uid model.UID) bool {
			i, ok := snap.Index(uid)
			return ok && test(snap, i)
		}
	}
	return s, when, err
}

// span is the time that the flags name. A day is named from its beginning on, and to its end.
func (a *app) span(o activityOptions) (p span, err error) {
	for _, flag := range []struct {
		name, text string
		to         *time.Time
	}{{"--since", o.since, &p.from}, {"--until", o.until, &p.to}} {
		if flag.text == "" {
			continue
		}
		var seq uint64
		if seq, *flag.to, err = parseWhen(flag.text, a.Now()); err != nil {
			return p, err
		}
		if seq != 0 {
			return p, core.Usagef("%s is a log entry; it must be a time or a duration", flag.name)
		}
	}
	if next := p.from.Add(time.Nanosecond); p.from.Nanosecond() != 0 && next.Hour() == 0 && next.Minute() == 0 && next.Second() == 0 && next.Nanosecond() == 0 {
		p.from = next.AddDate(0, 0, -1)
	}
	return p, nil
}

// printActivity prints events, of which found has the newest first.
func (a *app) printActivity(snap *snapshot.Snapshot, j *history.Journal, found []int32, when span, limit int) error {
	found = slices.DeleteFunc(found, func(i int32) bool {
		_, m := j.At(int(i))
		return !when.has(m.When())
	})
	total := len(found)
	if limit > 0 && total > limit {
		found = found[:limit]
	}
	if !a.JSON {
		for _, i := range found {
			c, m := j.At(int(i))
			a.printEvent(m.When(), m.Actor(), model.RowText(m.Summary, m.Reason), c.UID)
		}
		switch {
		case j.Len() == 0:
			fmt.Fprintln(a.Stdout, "No events yet.")
		case total == 0:
			fmt.Fprintln(a.Stdout, "No events match.")
		case total > len(found):
			fmt.Fprintf(a.Stdout, "… %d older; --limit shows more\n", total-len(found))
		}
		return nil
	}
	objects := make([]activityObject, 0, len(found))
	for k := len(found) - 1; k >= 0; k-- {
		c, m := j.At(int(found[k]))
		name := ""
		if t, ok := snap.Task(c.UID); ok {
			name = t.Config.Name
		}
		objects = append(objects, activityObject{feedOf(&model.Event{
			At: m.When(), UID: c.UID, Actor: m.Actor(), Channel: m.Channel(), Name: m.Name(), From: m.From(), To: m.To(), Summary: m.Summary,
			Reason: m.Reason, Seq: m.Seq(),
		}), name, history.KindOf(m.Name()).String()})
	}
	actors, kinds := []countObject{}, []countObject{}
	for _, x := range j.Actors() {
		actors = append(actors, countObject{string(x.Actor), x.N})
	}
	for k, n := range j.KindCounts() {
		kinds = append(kinds, countObject{history.EventKind(k).String(), n})
	}
	return core.WriteJSON(a.Stdout, struct {
		Events []activityObject `json:"events"`
		Total  int              `json:"total"`
		Actors []countObject    `json:"actors"`
		Kinds  []countObject    `json:"kinds"`
	}{objects, total, actors, kinds})
}

// toTheMinute is a time to the minute, blank where nobody said it.
func toTheMinute(t time.Time) string {
	const layout = "2006-01-02 15:04"
	if t.IsZero() {
		return strings.Repeat(" ", len(layout))
	}
	return t.UTC().Format(layout)
}

// printEvent is one event of several tasks: when, who, and what, in a sentence that names the task.
func (a *app) printEvent(at time.Time, who model.Actor, what string, uid model.UID) {
	line := toTheMinute(at) + "  " + core.Pad(visible.Line(string(who)), 12) + "  " + visible.Line(what)
	if uid != "" {
		line += "  " + uid.Short()
	}
	fmt.Fprintln(a.Prose(a.Stdout, 0), line)
}

// filterTest is a filter from arguments as a test of single tasks; nil for none.
func filterTest(snap *snapshot.Snapshot, args []string) (func(*snapshot.Snapshot, int) bool, error) {
	if len(args) == 0 {
		return nil, nil
	}
	filter, err := snapshot.ParseFilter(filterText(args))
	if err != nil {
		return nil, err
	}
	if err := checkUnder(snap, args); err != nil {
		return nil, err
	}
	in := make([]bool, snap.Len())
	for _, i := range snap.Select(filter) {
		in[i] = true
	}
	return func(_ *snapshot.Snapshot, i int) bool { return in[i] }, nil
}
