package look

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) lsVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "list [FILTER…]", Aliases: []string{"ls"},
		Short: "List all tasks, or those that match a filter",
		Long: "List tasks in the order they were created.\n\n" +
			"A filter is words in the name, uid, labels or description, and terms such as is:blocked,\n" +
			"status:plan-review, under:UID, milestone:m1, label:parser, priority:high, by:ann; -is:done excludes.",
		Example: "  vespe ls is:blocked\n  vespe ls under:3f9a1c priority:high -is:done\n  vespe ls --json --limit 50",
		GroupID: "task", ValidArgsFunction: core.CompleteFilter,
	}
	c.Flags().IntVar(&limit, "limit", 0, "maximum number of entries; 0 means all")
	return a.View(c, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		return a.list(snap, args, limit)
	})
}

// list prints the tasks that match a filter.
func (a *app) list(snap *snapshot.Snapshot, args []string, limit int) ([]model.UID, error) {
	if limit < 0 {
		return nil, core.Usagef("--limit is %d; it must be 0 or more", limit)
	}
	filter, err := snapshot.ParseFilter(filterText(args))
	if err != nil {
		return nil, err
	}
	if err := checkUnder(snap, args); err != nil {
		return nil, err
	}
	found := snap.Select(filter)
	total := len(found)
	if limit > 0 && len(found) > limit {
		found = found[:limit]
	}
	if st, ok := model.ParseStatus(strings.Join(args, " ")); ok && total == 0 && !a.JSON {
		fmt.Fprintf(a.Stdout, "No name, label or text has these words. For the status, use `vespe ls is:%s`.\n", st.Slug())
		return nil, nil
	}
	return core.UIDsOf(snap, found), a.printList(snap, found, total)
}

// checkUnder refuses under:UID of a task that is not there: nothing would match, and that
// is not what was asked.
func checkUnder(snap *snapshot.Snapshot, args []string) error {
	for _, arg := range args {
		refs, ok := strings.CutPrefix(strings.TrimLeft(arg, "!-"), "under:")
		if !ok || strings.ContainsAny(refs, `" `) {
			continue
		}
		for ref := range strings.SplitSeq(refs, ",") {
			if _, err := snap.Find(ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// filterText is a filter from arguments: as if they were typed in one line, so that a shell's quotes around several
// terms change nothing. An argument that is one term, whose value holds spaces, stays one: under:Parse config.
func filterText(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		key, value, ok := strings.Cut(arg, ":")
		if ok && strings.ContainsAny(value, " \t") && !strings.ContainsAny(arg, `"`) && !strings.ContainsAny(key, " \t") && !strings.Contains(value, ":") &&
			snapshot.TakesSpaces(strings.TrimLeft(key, "-!")) {
			words[i] = key + `:"` + value + `"`
		}
	}
	return strings.Join(words, " ")
}

// leastParent is how much room the name of a parent needs beside that of a task.
const leastParent = 10

func (a *app) printList(snap *snapshot.Snapshot, found []int32, total int) error {
	if a.JSON {
		tasks := make([]core.TaskObject, 0, len(found))
		for _, i := range found {
			tasks = append(tasks, core.TaskOf(snap, int(i)))
		}
		return core.WriteJSON(a.Stdout, struct {
			Tasks []core.TaskObject `json:"tasks"`
			Total int               `json:"total"`
		}{tasks, total})
	}
	w := a.Prose(a.Stdout, 0)
	for _, i := range found {
		t := snap.At(int(i))
		priority := ""
		if t.Spec != nil {
			priority = visible.Line(string(t.Spec.Priority))
		}
		line := t.UID.Short() + "  " + a.StatusCell(snap, int(i)) + "  " + core.Pad(priority, 8) + "  " + core.Title(t)
		if p, ok := snap.Task(t.Config.ParentUID); ok && a.IsTerminal && ansi.StringWidth(line) < a.Columns()-leastParent {
			line = ansi.Truncate(line+"  in "+core.Title(p), a.Columns(), "…")
		}
		fmt.Fprintln(w, line)
	}
	switch {
	case snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.NoTasks())
	case total == 0:
		fmt.Fprintln(a.Stdout, "No tasks match.")
	case total > len(found):
		fmt.Fprintf(a.Stdout, "… %d more\n", total-len(found))
	}
	return nil
}

func (a *app) treeVerb() *cobra.Command {
	return a.View(&cobra.Command{
		Use: "tree [UID]", Short: "Show the task tree, or the part below one task",
		Example: "  vespe task tree\n  vespe task tree 3f9a1c --json",
		GroupID: "task", Args: core.Between(0, 1), ValidArgsFunction: a.CompleteTask(1),
	}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		roots, err := rootsOf(snap, args)
		if err != nil {
			return nil, err
		}
		var printed []model.UID
		core.WalkTree(snap, roots, func(i int32, _ int, _ bool) {
			printed = append(printed, snap.UID(int(i)))
		})
		return printed, a.PrintTree(snap, roots, nil)
	})
}

// rootsOf is the task that an argument names, or without one every root.
func rootsOf(snap *snapshot.Snapshot, args []string) ([]int32, error) {
	if len(args) == 0 {
		return snap.Roots(), nil
	}
	uid, err := snap.Find(args[0])
	if err != nil {
		return nil, err
	}
	i, _ := snap.Index(uid)
	return []int32{int32(i)}, nil
}

func (a *app) inboxVerb() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use: "inbox", Short: "List what is waiting for a person",
		Example: "  vespe inbox\n  vespe inbox --limit 0\n  vespe inbox --json",
		GroupID: "task", Args: core.Between(0, 0),
	}
	c.Flags().IntVar(&limit, "limit", core.InboxPage, "maximum number of entries; 0 means all")
	return a.View(c, func(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, _ []string) ([]model.UID, error) {
		if limit < 0 {
			return nil, core.Usagef("--limit is %d; it must be 0 or more", limit)
		}
		var printed []model.UID
		shown, _ := a.FirstOf(snap, limit)
		for _, item := range shown {
			if item.Task >= 0 {
				printed = append(printed, snap.UID(int(item.Task)))
			}
		}
		if a.JSON {
			items, all := a.InboxOf(snap, limit, core.ReportsOf(ctx, s))
			return printed, core.WriteJSON(a.Stdout, struct {
				Items []core.InboxObject `json:"items"`
				Count int                `json:"count"`
				More  int                `json:"more,omitempty"`
			}{items, all, all - len(items)})
		}
		a.PrintInbox(snap, limit, core.ReportsOf(ctx, s))
		return printed, nil
	})
}
