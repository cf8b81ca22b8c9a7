package look

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/chart"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// timelineObject is the life of a task; times are in seconds.
type timelineObject struct {
	UID     string             `json:"uid"`
	Name    string             `json:"name"`
	From    time.Time          `json:"from,omitzero"`
	To      time.Time          `json:"to,omitzero"`
	Seconds float64            `json:"seconds"`
	Retries int                `json:"retries"`
	Rounds  int                `json:"verdicts"`
	Waiting map[string]float64 `json:"waiting"` // seconds, by who was waited for
	Spans   []spanObject       `json:"spans"`
}

type spanObject struct {
	Status   string           `json:"status"`
	WaitsFor string           `json:"waits_for"`
	From     time.Time        `json:"from,omitzero"`
	To       time.Time        `json:"to,omitzero"`
	Seconds  float64          `json:"seconds"`
	Open     bool             `json:"open,omitempty"` // the task still has it
	Events   []activityObject `json:"events"`
}

func (a *app) timelineVerb() *cobra.Command {
	return a.ViewTask(&cobra.Command{
		Use: "timeline UID", Short: "Show the statuses of a task: how long each lasted, and why",
		Long: "Show the timeline of a task: its statuses in order, how long each lasted, who could have acted,\n" +
			"and what happened in it, as far as the task's event files show.",
		Example: "  vespe task timeline 3f9a1c\n  vespe task timeline 3f9a1c --json",
		GroupID: "task",
	}, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
		uid := snap.UID(i)
		j, err := history.Around(snap, i, func(uid model.UID) ([]model.Event, error) {
			events, _, err := s.History(ctx, uid)
			return events, err
		})
		if err != nil {
			return nil, err
		}
		return []model.UID{uid}, a.printTimeline(snap, j, uid)
	})
}

func (a *app) printTimeline(snap *snapshot.Snapshot, j *history.Journal, uid model.UID) error {
	t, c := j.Timeline(snap, uid, a.Now()), j.Of(uid)
	i, _ := snap.Index(uid)
	if t == nil {
		t = &history.Timeline{UID: uid}
	}
	if a.JSON {
		o := timelineObject{
			UID: string(uid), Name: snap.Name(i), From: t.From.UTC(), To: t.To.UTC(), Seconds: t.To.Sub(t.From).Seconds(),
			Retries: t.Retries, Rounds: t.Rounds, Waiting: map[string]float64{}, Spans: []spanObject{},
		}
		for p := model.ForPeople; p < model.NumParties; p++ {
			o.Waiting[p.String()] = float64(t.Waited[p])
		}
		for k, sp := range t.Spans {
			so := spanObject{
				Status: sp.Status.String(), WaitsFor: sp.Status.WaitsFor().String(), From: sp.From.UTC(), To: sp.To.UTC(),
				Seconds: sp.Length().Seconds(), Open: sp.Open, Events: []activityObject{},
			}
			for _, m := range t.Within[k] {
				so.Events = append(so.Events, activityOf(snap, uid, &c.Moments[m]))
			}
			o.Spans = append(o.Spans, so)
		}
		return core.WriteJSON(a.Stdout, o)
	}
	fmt.Fprintf(a.Stdout, "%s  %s\n", uid.Short(), core.Title(snap.At(i)))
	if len(t.Spans) == 0 {
		fmt.Fprintln(a.Stdout, "No history.")
		return nil
	}
	a.printLife(t, c)
	return nil
}

const lifeCells = 72

// printLife draws the statuses as a line of their signs, and lists them.
func (a *app) printLife(t *history.Timeline, c *history.Chronicle) {
	lengths := make([]time.Duration, len(t.Spans))
	for k := range t.Spans {
		lengths[k] = t.Spans[k].Length()
	}
	var bar strings.Builder
	for k, n := range chart.Split(lengths, lifeCells) {
		st := t.Spans[k].Status
		bar.WriteString(a.Paint(st, strings.Repeat(st.Glyph(false), n)))
	}
	if bar.Len() > 0 {
		fmt.Fprintln(a.Stdout, bar.String())
	}
	zone := a.Now().Location()
	var waited []string
	for p := model.ForPeople; p < model.NumParties; p++ {
		if t.Waited[p] > 0 {
			waited = append(waited, fmt.Sprintf("%s %s", p, t.Waited[p]))
		}
	}
	fmt.Fprintf(a.Stdout, "%s in total; waited for %s\n\n", history.LastingLong(t.To.Sub(t.From)), strings.Join(waited, ", "))
	for k, sp := range t.Spans {
		length := history.LastingLong(sp.Length())
		if sp.Status.WaitsFor() == model.ForNobody {
			length = ""
		}
		line := fmt.Sprintf("%s  %s  %s", sp.From.In(zone).Format("2006-01-02 15:04"), a.Paint(sp.Status, core.Pad(sp.Status.Glyph(false)+" "+sp.Status.Label(), 2+model.LabelWidth)), length)
		fmt.Fprintln(a.Stdout, strings.TrimRight(line, " "))
		for _, m := range t.Within[k] {
			e := &c.Moments[m]
			text := model.RowText(e.Name().Title(), e.Reason)
			fmt.Fprintf(a.Stdout, "  %s  %s  %s\n", e.When().In(zone).Format("01-02 15:04:05"), core.Pad(visible.Line(string(e.Actor())), 16), visible.Line(text))
		}
	}
}
