package write

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/progress"
	"vespe/model/snapshot"
	"vespe/store"
)

func (a *app) newVerb() *cobra.Command {
	var parent, objective, priority string
	var depends []string
	var phases bool
	var f core.OpFlags
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a task, or a subtask with --parent",
		Example: "  vespe new \"Parse config\" --objective objective.md --priority high\n" +
			"  git log -1 --format=%B | vespe new \"Follow up\" --objective -\n" +
			"  vespe new \"Write tests\" --parent 3f9a1c --depends 77c0de",
		GroupID: "task",
		Args:    core.Between(1, 1),
	}
	c.Flags().StringVar(&parent, "parent", "", "create it as a subtask of this task")
	c.Flags().StringVar(&objective, "objective", "", "read the objective from a file, or - for standard input")
	c.Flags().StringArrayVar(&depends, "depends", nil, "tasks that must be completed first, separated by commas")
	c.Flags().StringVar(&priority, "priority", "", "critical, high, medium or low")
	c.Flags().BoolVar(&phases, "phases", false, "also create the subtasks define_objective, create_plan and create_subtasks")
	f.AddOp(c)
	for _, flag := range []string{"parent", "depends"} {
		_ = c.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.CompleteTask(1)(cmd, nil, typed)
		})
	}
	_ = c.RegisterFlagCompletionFunc("priority", cobra.FixedCompletions(priorities(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(cmd *cobra.Command, args []string) error {
		n := &model.NewTask{Name: args[0], Phases: phases}
		var err error
		if priority != "" {
			n.Spec = &model.Spec{}
			if n.Spec.Priority, err = parsePriority(priority); err != nil {
				return err
			}
		}
		if objective != "" {
			if n.Objective, err = a.ReadText(objective, "objective"); err != nil {
				err = core.Usagef("%s; for text, use vespe task define UID TEXT", err)
			}
		}
		if err == nil && objective != "" && strings.TrimSpace(n.Objective) == "" {
			err = core.Usagef("the objective is blank: write one, or leave --objective out")
		}
		if err != nil {
			return err
		}
		return a.create(cmd.Context(), n, parent, depends, f)
	}
	return c
}

func priorities() []string {
	return []string{string(model.Critical), string(model.High), string(model.Medium), string(model.Low)}
}

func parsePriority(text string) (model.Priority, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if word == "med" {
		word = string(model.Medium)
	}
	if !slices.Contains(priorities(), word) {
		return "", core.Usagef("--priority is %q; it must be one of %s", text, strings.Join(priorities(), ", "))
	}
	return model.Priority(word), nil
}

func (a *app) create(ctx context.Context, n *model.NewTask, parent string, depends []string, f core.OpFlags) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	if parent != "" {
		if n.Parent, err = snap.Find(parent); err != nil {
			return err
		}
	}
	if n.DependsOn, err = core.FindAll(snap, depends); err != nil {
		return err
	}
	n.UID = s.NewUID()
	op := f.Op(model.Op{Name: model.CreateTask, UID: n.UID, Actor: actor, Args: *n})
	if f.DryRun {
		op.FillUIDs(s.NewUID)
	}
	return named(a.DoAnd(ctx, s, snap, op, f.DryRun, func(applied snapshot.Applied) error {
		uid := n.UID
		if c := applied.Change; c != nil && len(c.Tasks) > 0 {
			uid = c.Tasks[0].UID // of the first call, when this one repeats it
		}
		if !applied.Replayed {
			a.PrintWarnings(namesake(applied.Snapshot, uid))
		}
		return a.ReportMade(applied, uid, string(uid))
	}), n.Name)
}

// namesake warns of a task beside a new one that has its name.
func namesake(snap *snapshot.Snapshot, made model.UID) []string {
	i, ok := snap.Index(made)
	if !ok {
		return nil
	}
	siblings := snap.Roots()
	if p := snap.Parent(i); p >= 0 {
		siblings = snap.Children(int(p))
	}
	for _, k := range siblings {
		if other := int(k); other != i && snap.Name(other) == snap.Name(i) {
			return []string{fmt.Sprintf("another task here has this name: %s (%s); use their uids", snap.UID(other).Short(), snap.StatusWord(other))}
		}
	}
	return nil
}

// named lets a refusal call a task that was not made by its name: nobody knows its uid.
func named(err error, name string) error {
	r, ok := err.(*model.Refusal) //nolint:errorlint // what is wrapped has words of its own
	if !ok || r.Task != "" {
		return err
	}
	c := *r
	c.Task = name
	return &c
}

// edit fires one edit on the task that ref names.
func (a *app) edit(ctx context.Context, ref string, f core.OpFlags, fill func(*snapshot.Snapshot, *model.Op) error) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	op := f.Op(model.Op{Actor: actor})
	if op.UID, err = snap.Find(ref); err != nil {
		op.Name = model.RenameTask
		return a.Repeated(ctx, s, op, err)
	}
	if err := fill(snap, &op); err != nil {
		return err
	}
	return a.Do(ctx, s, snap, op, f.DryRun)
}

func (a *app) renameVerb() *cobra.Command {
	var f core.OpFlags
	c := &cobra.Command{
		Use: "rename UID NAME", Short: "Rename a task; its uid stays the same",
		Example: "  vespe task rename 3f9a1c \"Parse the configuration\"",
		GroupID: "task", Args: core.Between(2, 2), ValidArgsFunction: a.CompleteTask(1),
	}
	f.Add(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		return a.edit(cmd.Context(), args[0], f, func(_ *snapshot.Snapshot, op *model.Op) error {
			op.Name, op.Args = model.RenameTask, model.NewName{Name: args[1]}
			return nil
		})
	}
	return c
}

func (a *app) stepVerb() *cobra.Command {
	var f core.OpFlags
	var open bool
	c := &cobra.Command{
		Use:   "step UID NUMBER…",
		Short: "Mark steps of a task as done",
		Long: "Mark steps of a task as done, by number as in `vespe show`. The approval stays\n" +
			"valid: it covers the steps, not which of them are done.",
		Example: "  vespe task step 3f9a1c 1 2\n  vespe task step 3f9a1c 2 --open",
		GroupID: "task", Args: core.Between(2, core.AnyNumber), ValidArgsFunction: a.CompleteTask(1),
	}
	f.Add(c)
	c.Flags().BoolVar(&open, "open", false, "reopen the steps")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var set []model.Assignment
		for _, text := range args[1:] {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return core.Usagef("%q is not the number of a step; steps start at 1", text)
			}
			set = append(set, progress.TickStep(n, !open))
		}
		return a.edit(cmd.Context(), args[0], f, func(_ *snapshot.Snapshot, op *model.Op) error {
			op.Name, op.Args = model.SetFields, model.FieldEdit{Set: set}
			return nil
		})
	}
	return c
}

func (a *app) setVerb() *cobra.Command {
	var f core.OpFlags
	c := &cobra.Command{
		Use:   "set UID KEY=VALUE…",
		Short: "Set fields of spec.json: priority, labels, risk, …",
		Long: "Set fields of spec.json. KEY=VALUE replaces, KEY+=VALUE adds to a list, KEY-=VALUE\n" +
			"removes from it. Commas separate list items; \\, is a comma inside a value. A JSON\n" +
			"list works, too. An empty value clears the field.\n\nKeys: " + strings.Join(model.SpecKeys(), ", ") + ".",
		Example: "  vespe task set 3f9a1c priority=high labels+=parser risk=low\n" +
			"  vespe task set 3f9a1c 'acceptance_criteria=No data is lost,It is fast'\n" +
			"  vespe task set 3f9a1c context.sender=a@b.example verify='[[\"make\",\"test\"]]'",
		GroupID: "task", Args: core.Between(2, core.AnyNumber), ValidArgsFunction: a.CompleteSet,
	}
	f.Add(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		assignments := make([]model.Assignment, 0, len(args)-1)
		for _, text := range args[1:] {
			as, err := parseAssignment(text)
			if err != nil {
				return err
			}
			assignments = append(assignments, as)
		}
		return a.edit(cmd.Context(), args[0], f, func(_ *snapshot.Snapshot, op *model.Op) error {
			op.Name, op.Args = model.SetFields, model.FieldEdit{Set: assignments}
			return nil
		})
	}
	return c
}

func parseAssignment(text string) (model.Assignment, error) {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return model.Assignment{}, core.Usagef("%q is not KEY=VALUE, KEY+=VALUE or KEY-=VALUE", text)
	}
	mode := byte('=')
	if last := key[len(key)-1]; last == '+' || last == '-' {
		mode, key = last, key[:len(key)-1]
	}
	if key == "" {
		return model.Assignment{}, core.Usagef("%q has no key: write KEY=VALUE, KEY+=VALUE or KEY-=VALUE", text)
	}
	return model.Assignment{Key: key, Value: value, Mode: mode}, nil
}

func (a *app) depVerb() *cobra.Command {
	dep := &cobra.Command{
		Use: "dep", Short: "Add, remove, list and suggest dependencies",
		Example: "  vespe task dep add 3f9a1c 77c0de   # 3f9a1c waits for 77c0de",
		GroupID: "task", Args: core.Between(0, 0), RunE: a.NeedsVerb,
	}
	change := func(name model.Name, use, short, example string) *cobra.Command {
		var f core.OpFlags
		c := &cobra.Command{
			Use: use, Short: short, Example: example,
			Args: core.Between(2, core.AnyNumber), ValidArgsFunction: a.CompleteTask(core.AnyNumber),
		}
		f.Add(c)
		c.RunE = func(cmd *cobra.Command, args []string) error {
			return a.edit(cmd.Context(), args[0], f, func(snap *snapshot.Snapshot, op *model.Op) error {
				uids, err := a.dependencyRefs(snap, op.UID, name, args[1:])
				op.Name, op.Args = name, model.DependencyEdit{DependsOn: uids}
				return err
			})
		}
		return c
	}
	remove := change(model.RemoveDependency, "rm UID ON…", "Remove dependencies", "  vespe task dep rm 3f9a1c 77c0de")
	remove.Aliases = []string{"remove"}
	dep.AddCommand(
		change(model.AddDependency, "add UID ON…", "Make a task wait for other tasks", "  vespe task dep add 3f9a1c 77c0de"),
		remove,
		a.suggestVerb(),
		a.ViewTask(&cobra.Command{
			Use: "ls UID", Aliases: []string{"list"}, Short: "List what a task waits for, and what waits for it",
			Example: "  vespe task dep ls 3f9a1c",
		}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, i int) ([]model.UID, error) {
			return core.Around(snap, i), a.printDependencies(snap, i)
		}))
	return dep
}

// dependencyRefs finds the tasks that an edge goes to. To be removed, an edge may go to
// a uid that no longer exists.
func (a *app) dependencyRefs(snap *snapshot.Snapshot, uid model.UID, name model.Name, refs []string) ([]model.UID, error) {
	task, _ := snap.Task(uid)
	uids := make([]model.UID, 0, len(refs))
	for _, ref := range refs {
		found, err := snap.Find(ref)
		if err != nil {
			if name == model.RemoveDependency && task != nil && slices.Contains(task.DependsOn, model.UID(ref)) {
				found, err = model.UID(ref), nil
			}
		}
		if err != nil {
			return nil, err
		}
		uids = append(uids, found)
	}
	return uids, nil
}
