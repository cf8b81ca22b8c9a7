package look

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/board"
	"vespe/model/chart"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// statsObject is the statistics; times are in seconds.
type statsObject struct {
	From     time.Time          `json:"from,omitzero"`
	To       time.Time          `json:"to,omitzero"`
	Tasks    int                `json:"tasks"`
	Events   int                `json:"events"`
	Days     []string           `json:"days"`       // 2026-11-21, those that daily counts by
	Flow     []flowObject       `json:"throughput"` //
	Statuses []statusTimeObject `json:"statuses"`
	Waiting  []waitingObject    `json:"waiting"`
	Lead     lengthsObject      `json:"lead"`    // from the first event of a task until it is done
	Work     lengthsObject      `json:"work"`    // from a start until the work is completed
	Verdict  lengthsObject      `json:"verdict"` // from a plan or work that waits until the verdict
	Answer   lengthsObject      `json:"answer"`  // from a question until its answer
	Rounds   []roundObject      `json:"review_rounds"`
	Retries  []retryObject      `json:"retries"`
	Actors   []countObject      `json:"actors"`
}

type flowObject struct {
	What   string  `json:"what"`
	Total  int     `json:"total"`
	PerDay float64 `json:"per_day"`
	Daily  []int   `json:"daily"`
}

type statusTimeObject struct {
	Status   string `json:"status"`
	WaitsFor string `json:"waits_for"`
	Now      int    `json:"now"`
	lengthsObject
}

type waitingObject struct {
	For     string  `json:"for"`
	Seconds float64 `json:"seconds"`
	Share   float64 `json:"share"`
}

type lengthsObject struct {
	Count  int     `json:"count"`
	Total  float64 `json:"total"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
}

// roundObject is how many plans were accepted by so many verdicts, retryObject how many tasks were
// retried so often.
type roundObject struct {
	Verdicts int `json:"verdicts"`
	Plans    int `json:"plans"`
}

type retryObject struct {
	Retries int `json:"retries"`
	Tasks   int `json:"tasks"`
}

func (a *app) statsVerb() *cobra.Command {
	var since string
	c := &cobra.Command{
		Use: "stats [FILTER…]", Short: "Show throughput, waiting times, reviews and retries",
		Long: "Show statistics of all tasks, or of those that match a filter as in ls: tasks created, accepted\n" +
			"and finished by day, time in each status, who kept them waiting, verdicts per plan,\n" +
			"and retries, as far as the tasks' event files show.",
		Example: "  vespe store stats\n  vespe store stats --since 2w label:parser\n  vespe store stats --json",
		GroupID: "store", ValidArgsFunction: core.CompleteFilter,
	}
	c.Flags().StringVar(&since, "since", "", "only events since this time or duration, as for vespe task at")
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		sieve, when, err := a.sieve(snap, activityOptions{since: since}, args)
		if err != nil {
			return nil, err
		}
		j, err := a.readJournal(ctx, s, isFresh(c))
		if err != nil {
			return nil, err
		}
		st := j.Stats(snap, sieve.Tasks, when.from, a.Now())
		if a.JSON {
			return nil, core.WriteJSON(a.Stdout, statsOf(&st))
		}
		a.printStats(&st)
		return nil, nil
	})
}

func lengthsOf(l history.Lengths) lengthsObject {
	return lengthsObject{Count: l.N, Total: float64(l.Total), Median: l.Median.Seconds(), P90: l.P90.Seconds()}
}

func statsOf(st *history.Stats) statsObject {
	o := statsObject{
		From: st.From.UTC(), To: st.To.UTC(), Tasks: st.Tasks, Events: st.Events, Days: []string{}, Rounds: []roundObject{}, Retries: []retryObject{},
		Lead: lengthsOf(st.Lead), Work: lengthsOf(st.Work), Verdict: lengthsOf(st.Verdict), Answer: lengthsOf(st.Answer), Actors: []countObject{},
	}
	for _, d := range st.Days {
		o.Days = append(o.Days, d.Format(time.DateOnly))
	}
	for f := range history.NumFlows {
		o.Flow = append(o.Flow, flowObject{f.String(), st.Flow[f].Total, st.PerDay(f), st.Flow[f].Daily})
	}
	for _, s := range board.Order() {
		t := st.InStatus[s]
		o.Statuses = append(o.Statuses, statusTimeObject{s.String(), s.WaitsFor().String(), t.Now, lengthsOf(t.Lengths)})
	}
	for p := model.ForPeople; p < model.NumParties; p++ {
		o.Waiting = append(o.Waiting, waitingObject{p.String(), float64(st.Waited[p]), st.WaitedShare(p)})
	}
	for n, k := range st.Rounds {
		if n > 0 {
			o.Rounds = append(o.Rounds, roundObject{n, k})
		}
	}
	for n, k := range st.Retries {
		o.Retries = append(o.Retries, retryObject{n, k})
	}
	for _, x := range st.Actors {
		o.Actors = append(o.Actors, countObject{string(x.Actor), x.N})
	}
	return o
}

// sparkDays is how many cells a sparkline has on the command line.
const sparkDays = 28

func (a *app) printStats(st *history.Stats) {
	zone := a.Now().Location()
	fmt.Fprintf(a.Stdout, "%s, %s, %s to %s\n", model.Plural(st.Tasks, "task", "tasks"), model.Plural(st.Events, "event", "events"), st.From.In(zone).Format("2006-01-02 15:04"), st.To.In(zone).Format("2006-01-02 15:04"))
	if st.Events == 0 {
		fmt.Fprintln(a.Stdout, "No events in that time.")
		return
	}
	fmt.Fprintln(a.Stdout, "\n"+core.Pad("Throughput", 20)+"  total   a day")
	for f := range history.NumFlows {
		bins, _ := chart.Bins(st.Flow[f].Daily, sparkDays)
		fmt.Fprintf(a.Stdout, "  %s  %5d  %6.1f  %s\n", core.Pad(f.String(), 18), st.Flow[f].Total, st.PerDay(f), chart.Spark(bins, false))
	}
	fmt.Fprintln(a.Stdout, "\n"+core.Pad("Time in a status", 20)+"    now   times   median      90%     total")
	for _, s := range board.Order() {
		t := st.InStatus[s]
		if t.Now == 0 && t.N == 0 {
			continue
		}
		row := fmt.Sprintf("  %s  %5d", a.Paint(s, core.Pad(s.Glyph(false)+" "+s.Label(), 18)), t.Now)
		if t.N > 0 {
			row += fmt.Sprintf("  %6d  %7s  %7s  %8s", t.N, history.LastingLong(t.Median), history.LastingLong(t.P90), t.Total)
		}
		fmt.Fprintln(a.Stdout, row)
	}
	fmt.Fprintln(a.Stdout, "\nWaiting for")
	for p := model.ForPeople; p < model.NumParties; p++ {
		fmt.Fprintf(a.Stdout, "  %s  %4.0f%%  %8s  %s\n", core.Pad(p.String(), 18), 100*st.WaitedShare(p), st.Waited[p], chart.Bar(st.WaitedShare(p), sparkDays, false))
	}
	fmt.Fprintln(a.Stdout, "\n"+core.Pad("How long", 20)+"  times   median      90%")
	for _, l := range []struct {
		name string
		l    history.Lengths
	}{{"until a verdict", st.Verdict}, {"until an answer", st.Answer}, {"start to finish", st.Work}, {"created to done", st.Lead}} {
		if l.l.N == 0 {
			fmt.Fprintf(a.Stdout, "  %s   none\n", core.Pad(l.name, 18))
		} else {
			fmt.Fprintf(a.Stdout, "  %s  %5d  %7s  %7s\n", core.Pad(l.name, 18), l.l.N, history.LastingLong(l.l.Median), history.LastingLong(l.l.P90))
		}
	}
	fmt.Fprintln(a.Stdout)
	fmt.Fprintln(a.Stdout, "Plans accepted at the first, second, … verdict: "+listCounts(st.Rounds, 1))
	fmt.Fprintln(a.Stdout, "Tasks retried 0, 1, … times: "+listCounts(st.Retries, 0))
	var who []string
	for i, x := range st.Actors {
		if i == 8 {
			who = append(who, fmt.Sprintf("and %d more", len(st.Actors)-i))
			break
		}
		who = append(who, fmt.Sprintf("%s %d", visible.Line(string(x.Actor)), x.N))
	}
	fmt.Fprintln(a.Stdout, "Events by actor: "+strings.Join(who, ", "))
}

// listCounts are counts from one on, "none" where there are none.
func listCounts(counts []int, from int) string {
	var out []string
	for i := from; i < len(counts); i++ {
		out = append(out, strconv.Itoa(counts[i]))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
