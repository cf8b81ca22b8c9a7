package look

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/board"
	"vespe/model/snapshot"
	"vespe/store"
)

// columnObject is a column of the board.
type columnObject struct {
	Status string            `json:"status"`
	Count  int               `json:"count"`
	Tasks  []core.TaskObject `json:"tasks"`
}

const boardLimit = 10 // tasks of a column, when nobody says how many

func (a *app) boardVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "board [FILTER…]", Short: "Show tasks by status, with counts",
		Long: "Show tasks by status, in lifecycle order, with the number of tasks in each.\n" +
			"Ready tasks are sorted best first, finished tasks newest first. A filter as in ls\n" +
			"limits the tasks.",
		Example: "  vespe task board\n  vespe task board under:3f9a1c --limit 3\n  vespe task board --json",
		GroupID: "task", ValidArgsFunction: core.CompleteFilter,
	}
	c.Flags().IntVar(&limit, "limit", boardLimit, "maximum number of tasks per status; 0 means all")
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		if limit < 0 {
			return nil, core.Usagef("--limit is %d; it must be 0 or more", limit)
		}
		test, err := filterTest(snap, args)
		if err != nil {
			return nil, err
		}
		return a.printBoard(snap, board.Of(snap, test), limit)
	})
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

func (a *app) printBoard(snap *snapshot.Snapshot, lists [model.NumStatuses][]int32, limit int) ([]model.UID, error) {
	columns, total, underWay := []columnObject{}, 0, snapshot.Counts{}
	var printed []model.UID
	for _, st := range board.Order() {
		all := lists[st]
		shown := all
		if limit > 0 && len(shown) > limit {
			shown = shown[:limit]
		}
		printed = append(printed, core.UIDsOf(snap, shown)...)
		total += len(all)
		underWay[st] = int32(len(all))
		if a.JSON {
			o := columnObject{Status: st.String(), Count: len(all), Tasks: make([]core.TaskObject, 0, len(shown))}
			for _, i := range shown {
				o.Tasks = append(o.Tasks, core.TaskOf(snap, int(i)))
			}
			columns = append(columns, o)
			continue
		}
		if len(all) == 0 {
			continue
		}
		fmt.Fprintf(a.Stdout, "%s  %d\n", a.Paint(st, st.Glyph(false)+" "+st.Label()), len(all))
		for _, i := range shown {
			t := snap.At(int(i))
			fmt.Fprintln(a.Stdout, "  "+t.UID.Short()+"  "+core.Title(t)+core.Beside(snap, int(i)))
		}
		if more := len(all) - len(shown); more > 0 {
			fmt.Fprintf(a.Stdout, "  … %d more\n", more)
		}
	}
	if a.JSON {
		return printed, core.WriteJSON(a.Stdout, struct {
			Columns  []columnObject `json:"columns"`
			Total    int            `json:"total"`
			UnderWay int            `json:"under_way"`
		}{columns, total, underWay.UnderWay()})
	}
	switch {
	case snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.NoTasks())
	case total == 0:
		fmt.Fprintln(a.Stdout, "No tasks match.")
	}
	return printed, nil
}
