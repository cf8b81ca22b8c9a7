package look

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) complexityVerb() *cobra.Command {
	return a.View(&cobra.Command{
		Use: "complexity [UID]", Short: "Show how complex a task is, from 0 to 13, and why",
		Long: "Show a task's complexity: its score from 0 to 13 in five parts, with the words and files\n" +
			"behind each, and the limits that it exceeds. Without UID, list the open tasks that should be\n" +
			"split, most complex first. The limits are task_size_limits in .vespe/config.json.",
		Example: "  vespe task complexity 3f9a1c\n  vespe task complexity --json",
		GroupID: "task", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		if len(args) == 0 {
			found := snapshot.ToSplit(snap)
			return core.UIDsOf(snap, found), a.printToSplit(snap, found)
		}
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		t, _ := snap.Task(uid)
		return []model.UID{uid}, a.printComplexity(snap, t)
	})
}

func (a *app) printToSplit(snap *snapshot.Snapshot, found []int32) error {
	limits := snap.Policy().SizeLimits()
	type row struct {
		UID   string           `json:"uid"`
		Name  string           `json:"name"`
		Score core.ScoreObject `json:"score"`
	}
	rows := make([]row, 0, len(found))
	for _, i := range found {
		t := snap.At(int(i))
		s := t.Complexity(limits)
		rows = append(rows, row{string(t.UID), t.Config.Name, core.ScoreOf(&s, limits)})
		if !a.JSON {
			fmt.Fprintln(a.Stdout, t.UID.Short()+"  "+core.Pad(core.Points(s.Total), 4)+"  "+core.Pad(string(s.Level), 8)+"  "+core.Title(t))
		}
	}
	if a.JSON {
		return a.PrintMember("tasks", rows)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.Stdout, "No open task is above the threshold of "+core.Points(limits.Threshold)+".")
	}
	return nil
}

func (a *app) printComplexity(snap *snapshot.Snapshot, t *model.Task) error {
	limits := snap.Policy().SizeLimits()
	s := t.Complexity(limits)
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			UID   string           `json:"uid"`
			Name  string           `json:"name"`
			Score core.ScoreObject `json:"score"`
		}{string(t.UID), t.Config.Name, core.ScoreOf(&s, limits)})
	}
	fmt.Fprintln(a.Stdout, core.Title(t)+"  "+core.ScoreLine(&s)+": "+s.Advice())
	for _, p := range s.Parts {
		fmt.Fprintf(a.Stdout, "  %s  %s of %s  %s\n", core.Pad(p.Factor.String(), 15), core.Pad(core.Points(p.Points), 3), core.Points(p.Factor.Most()), visible.Line(p.Why))
		for _, w := range p.Found {
			fmt.Fprintf(a.Stdout, "  %s  %s: %s\n", core.Pad("", 27), w.Word, strings.Join(w.Where, ", "))
		}
		for _, path := range p.Paths {
			fmt.Fprintf(a.Stdout, "  %s  %s\n", core.Pad("", 27), visible.Line(path))
		}
	}
	fmt.Fprintf(a.Stdout, "About %s per attempt: %d tokens in, %d out.\n", complexity.MinuteWords(s.Minutes), s.Tokens, s.Output)
	for _, w := range s.Warnings {
		fmt.Fprintln(a.Stdout, "Beyond "+w.Limit+": "+w.Text)
	}
	if s.Split && limits.AutoSplit {
		fmt.Fprintf(a.Stdout, "Above the threshold of %s: vespe task decompose %s\n", core.Points(limits.Threshold), t.UID.Short())
	}
	return nil
}
