package look

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// activityObject is an event of the activity feed.
type activityObject struct {
	At      time.Time `json:"at,omitzero"`
	UID     string    `json:"uid"`
	Name    string    `json:"name"` // of the task, "" when it has gone
	Actor   string    `json:"actor"`
	Channel string    `json:"channel,omitempty"`
	Event   string    `json:"event"`
	Kind    string    `json:"kind"`
	From    string    `json:"from,omitempty"`
	To      string    `json:"to,omitempty"`
	Summary string    `json:"summary,omitempty"`
	Reason  string    `json:"reason,omitempty"` // or what was asked or answered; at most its first 1,000 bytes
	Seq     uint64    `json:"seq,omitempty"`
}

type countObject struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// activityOptions are the flags of activity.
type activityOptions struct {
	actors, kinds []string
	since         string
	limit         int
}

const activityLimit = 50 // events, when nobody says how many

func (a *app) activityVerb() *cobra.Command {
	var o activityOptions
	c := &cobra.Command{
		Use: "activity [FILTER…]", Short: "Show events of the whole store, by actor and kind",
		Long: "Show the events of all tasks, newest first; with --json, newest last. A filter as in ls limits the\n" +
			"tasks. A kind is " + strings.Join(kindWords(), ", ") + ", or the name of an event.\n" +
			"An actor is one as in history, its name alone, or human, agent or system.",
		Example: "  vespe store activity --actor agent --since 2h\n  vespe store activity --kind verdict,request under:3f9a1c",
		GroupID: "store", ValidArgsFunction: core.CompleteFilter,
	}
	c.Flags().StringSliceVar(&o.actors, "actor", nil, "only events by these actors")
	c.Flags().StringSliceVar(&o.kinds, "kind", nil, "only events of these kinds")
	c.Flags().StringVar(&o.since, "since", "", "only events since this time or duration, as for vespe task at")
	c.Flags().IntVar(&o.limit, "limit", activityLimit, "how many of the newest events to show; 0 means all")
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		sieve, since, err := a.sieve(snap, o, args)
		if err != nil {
			return nil, err
		}
		j, err := a.readJournal(ctx, s, isFresh(c))
		if err != nil {
			return nil, err
		}
		return nil, a.printActivity(snap, j, j.Activity(sieve), since, o.limit)
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
func (a *app) sieve(snap *snapshot.Snapshot, o activityOptions, args []string) (history.Sieve, time.Time, error) {
	s := history.Sieve{Actors: o.actors}
	if o.limit < 0 {
		return s, time.Time{}, core.Usagef("--limit is %d; it must be 0 or more", o.limit)
	}
	for _, word := range o.kinds {
		if k, ok := history.ParseEventKind(word); ok {
			s.Kinds = append(s.Kinds, k)
			continue
		}
		name := model.Name(strings.ReplaceAll(strings.ToLower(word), "-", "_"))
		if !history.IsEvent(name) {
			return s, time.Time{}, core.Usagef("--kind is %q; it must be %s, or the name of an event such as accept_plan", word, strings.Join(kindWords(), ", "))
		}
		s.Names = append(s.Names, name)
	}
	since, err := a.since(o.since)
	if err != nil {
		return s, since, err
	}
	test, err := filterTest(snap, args)
	if err == nil && test != nil {
		s.Tasks = func(uid model.UID) bool {
			i, ok := snap.Index(uid)
			return ok && test(snap, i)
		}
	}
	return s, since, err
}

// since is the time that a flag names; zero for none.
func (a *app) since(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	seq, when, err := parseWhen(text, a.Now())
	if err == nil && seq != 0 {
		err = core.Usagef("--since is a log entry; it must be a time or a duration")
	}
	if next := when.Add(time.Nanosecond); when.Nanosecond() != 0 && next.Hour() == 0 && next.Minute() == 0 && next.Second() == 0 && next.Nanosecond() == 0 {
		when = next.AddDate(0, 0, -1) // a day is named: from its beginning on
	}
	return when, err
}

// printActivity prints events, of which found has the newest first.
func (a *app) printActivity(snap *snapshot.Snapshot, j *history.Journal, found []int32, since time.Time, limit int) error {
	for k, i := range found {
		if _, m := j.At(int(i)); m.When().Before(since) {
			found = found[:k]
			break
		}
	}
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
		objects = append(objects, activityObject{
			At: m.When(), UID: string(c.UID), Name: name, Actor: string(m.Actor()), Channel: m.Channel(), Event: string(m.Name()),
			Kind: history.KindOf(m.Name()).String(), From: string(m.From()), To: string(m.To()), Summary: m.Summary, Reason: m.Reason, Seq: m.Seq(),
		})
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
