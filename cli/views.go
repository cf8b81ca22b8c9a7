package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) lsVerb() *cobra.Command {
	var limit int
	var watch bool
	c := &cobra.Command{
		Use:   "ls [FILTER…]",
		Short: "List tasks, all or those that match a filter",
		Long: "List tasks in the order they were made.\n\n" +
			"A filter is words in the name, uid, labels or description, and terms such as is:blocked,\n" +
			"status:review-plan, under:UID, milestone:m1, label:parser, priority:high, by:ann; -is:done leaves out.",
		Example: "  vespe ls is:blocked\n  vespe ls under:3f9a1c priority:high -is:done\n  vespe ls --json --limit 50",
		GroupID: "look", ValidArgsFunction: completeFilter,
	}
	c.Flags().IntVar(&limit, "limit", 0, "at most this many; 0 is all")
	c.Flags().BoolVar(&watch, "watch", false, "print it again whenever it changes, until ctrl+c")
	list := func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		return a.list(snap, args, limit)
	}
	a.view(c, list)
	once := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if watch {
			return a.watch(cmd.Context(), args, list)
		}
		return once(cmd, args)
	}
	return c
}

// list prints the tasks that match a filter.
func (a *app) list(snap *model.Snapshot, args []string, limit int) ([]model.UID, error) {
	if limit < 0 {
		return nil, usagef("--limit is %d; it must be 0 or more", limit)
	}
	filter, err := model.ParseFilter(filterText(args))
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
	return uidsOf(snap, found), a.printList(snap, found, total)
}

func uidsOf(snap *model.Snapshot, rows []int32) []model.UID {
	uids := make([]model.UID, len(rows))
	for k, i := range rows {
		uids[k] = snap.UID(int(i))
	}
	return uids
}

// checkUnder refuses under:UID of a task that is not there: nothing would match, and that
// is not what was asked.
func checkUnder(snap *model.Snapshot, args []string) error {
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
			model.TakesSpaces(strings.TrimLeft(key, "-!")) {
			words[i] = key + `:"` + value + `"`
		}
	}
	return strings.Join(words, " ")
}

func (a *app) printList(snap *model.Snapshot, found []int32, total int) error {
	if a.json {
		tasks := make([]taskObject, 0, len(found))
		for _, i := range found {
			tasks = append(tasks, taskOf(snap, int(i)))
		}
		return writeJSON(a.Stdout, struct {
			Tasks []taskObject `json:"tasks"`
			Total int          `json:"total"`
		}{tasks, total})
	}
	for _, i := range found {
		t := snap.At(int(i))
		priority := ""
		if t.Spec != nil {
			priority = visible.Line(string(t.Spec.Priority))
		}
		fmt.Fprintln(a.Stdout, t.UID.Short()+"  "+a.statusCell(snap, int(i))+"  "+pad(priority, 8)+"  "+title(t))
	}
	switch {
	case snap.Len() == 0:
		fmt.Fprintln(a.Stdout, a.noTasks())
	case total == 0:
		fmt.Fprintln(a.Stdout, "No task matches.")
	case total > len(found):
		fmt.Fprintf(a.Stdout, "… %d more\n", total-len(found))
	}
	return nil
}

func (a *app) treeVerb() *cobra.Command {
	return a.view(&cobra.Command{
		Use: "tree [UID]", Short: "The task tree with statuses, whole or below one task",
		Example: "  vespe tree\n  vespe tree 3f9a1c --json",
		GroupID: "look", Args: between(0, 1), ValidArgsFunction: a.completeTask(1),
	}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		roots, err := rootsOf(snap, args)
		if err != nil {
			return nil, err
		}
		var printed []model.UID
		walkTree(snap, roots, func(i int32, _ int, _ bool) {
			printed = append(printed, snap.UID(int(i)))
		})
		return printed, a.printTree(snap, roots, nil)
	})
}

// rootsOf is the task that an argument names, or without one every root.
func rootsOf(snap *model.Snapshot, args []string) ([]int32, error) {
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
		Use: "inbox", Short: "What waits for a person",
		Example: "  vespe inbox\n  vespe inbox --limit 0\n  vespe inbox --json",
		GroupID: "look", Args: between(0, 0),
	}
	c.Flags().IntVar(&limit, "limit", inboxPage, "at most this many; 0 is all")
	return a.view(c, func(ctx context.Context, s *store.Store, snap *model.Snapshot, _ []string) ([]model.UID, error) {
		if limit < 0 {
			return nil, usagef("--limit is %d; it must be 0 or more", limit)
		}
		var printed []model.UID
		shown, _ := a.firstOf(snap, limit)
		for _, item := range shown {
			if item.Task >= 0 {
				printed = append(printed, snap.UID(int(item.Task)))
			}
		}
		if a.json {
			items, all := a.inboxOf(snap, limit, reportsOf(ctx, s))
			return printed, writeJSON(a.Stdout, struct {
				Items []inboxObject `json:"items"`
				Count int           `json:"count"`
				More  int           `json:"more,omitempty"`
			}{items, all, all - len(items)})
		}
		a.printInbox(snap, limit, reportsOf(ctx, s))
		return printed, nil
	})
}

func indexUIDs(snap *model.Snapshot, rows []int32) []string {
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		out = append(out, string(snap.At(int(r)).UID))
	}
	return out
}

func (a *app) listDependencies(ctx context.Context, ref string) error {
	s, err := a.open()
	if err != nil {
		return err
	}
	return a.look(ctx, s, false, []string{ref}, func(_ context.Context, _ *store.Store, snap *model.Snapshot, args []string) ([]model.UID, error) {
		uid, err := snap.Find(args[0])
		if err != nil {
			return nil, err
		}
		i, _ := snap.Index(uid)
		return around(snap, i), a.printDependencies(snap, i)
	})
}

func (a *app) printDependencies(snap *model.Snapshot, i int) error {
	t := snap.At(i)
	if a.json {
		return writeJSON(a.Stdout, struct {
			DependsOn  []string `json:"depends_on"`
			Dependents []string `json:"dependents"`
		}{uidStrings(t.DependsOn), indexUIDs(snap, snap.Dependents(i))})
	}
	for _, d := range t.DependsOn {
		fmt.Fprintln(a.Stdout, "waits for  "+visible.Line(a.reference(snap, d)))
	}
	for _, d := range snap.Dependents(i) {
		fmt.Fprintln(a.Stdout, "needed by  "+visible.Line(a.reference(snap, snap.At(int(d)).UID)))
	}
	if len(t.DependsOn) == 0 && len(snap.Dependents(i)) == 0 {
		fmt.Fprintln(a.Stdout, "No dependencies either way.")
	}
	return nil
}
