package write

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

// milestoneObject is a milestone with what follows from its tasks.
type milestoneObject struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	Description string              `json:"description,omitempty"`
	Status      string              `json:"status"`
	Undefined   bool                `json:"undefined,omitempty"` // only tasks name it
	Leaves      core.ProgressObject `json:"leaves"`
	TaskIDs     []string            `json:"task_ids"` // with those below tasks that were put into it
}

func (a *app) milestoneOf(snap *snapshot.Snapshot, m *snapshot.Milestoning) milestoneObject {
	return milestoneObject{
		ID: m.ID, Name: m.Name, Description: m.Description,
		Status: string(m.Status), Undefined: m.Undefined,
		Leaves: core.ProgressObject{Done: m.Done, Total: m.Total}, TaskIDs: core.IndexUIDs(snap, m.Tasks),
	}
}

func (a *app) milestoneVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "milestone", Aliases: []string{"ms"},
		Long: "A milestone has a name and tasks. Its status and progress are those of its tasks\n" +
			"and their subtasks. Refer to a milestone by its id or its name.",
		Example: "  vespe milestone create \"Public beta\"\n" +
			"  vespe milestone assign public-beta 3f9a1c 77c0de\n" +
			"  vespe ls milestone:public-beta -is:done",
		Args: core.Between(0, 0), RunE: a.NeedsVerb,
	}
	c.AddCommand(
		a.milestoneLs(), a.milestoneShow(), a.milestoneCreate(), a.milestoneEdit(), a.milestoneRm(),
		a.milestoneAssign(), a.milestoneUnassign(),
	)
	return c
}

func (a *app) milestoneLs() *cobra.Command {
	return a.View(&cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List milestones in order, with progress",
		Example: "  vespe milestone ls\n  vespe milestone ls --json", Args: core.Between(0, 0),
	}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, _ []string) ([]model.UID, error) {
		list := snap.Milestones()
		if a.JSON {
			out := make([]milestoneObject, len(list))
			for k := range list {
				out[k] = a.milestoneOf(snap, &list[k])
			}
			return nil, a.PrintMember("milestones", out)
		}
		if len(list) == 0 {
			fmt.Fprintln(a.Stdout, "No milestones. `vespe milestone create NAME` creates one.")
		}
		ids, names := 0, 0
		for k := range list {
			ids = max(ids, len([]rune(visible.Line(list[k].ID))))
			names = max(names, min(32, len([]rune(visible.Line(list[k].Name)))))
		}
		for k := range list {
			m := &list[k]
			line := core.Pad(visible.Line(m.ID), ids) + "  " + core.Pad(ansi.Truncate(visible.Line(m.Name), 32, "…"), names) + "  " + progressBar(m.Done, m.Total, 16) +
				"  " + core.Pad(fmt.Sprintf("%d/%d", m.Done, m.Total), 7) + "  " + statusWords(m)
			fmt.Fprintln(a.Stdout, strings.TrimRight(line, " "))
		}
		return nil, nil
	})
}

// progressBar is a share as a bar; it is full only when all is done.
func progressBar(done, total, width int) string {
	full := 0
	if total > 0 {
		full = done * width / total
	}
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

// statusWords is the status of a milestone for people.
func statusWords(m *snapshot.Milestoning) string {
	if m.Undefined {
		return "undefined"
	}
	return strings.ReplaceAll(string(m.Status), "_", " ")
}

func (a *app) milestoneShow() *cobra.Command {
	return a.View(&cobra.Command{
		Use: "show MILESTONE", Short: "Show a milestone and its tasks",
		Example: "  vespe milestone show public-beta", Args: core.Between(1, 1), ValidArgsFunction: a.completeMilestone,
	}, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
		m, err := shownMilestone(snap, args[0])
		if err != nil {
			return nil, err
		}
		printed := core.UIDsOf(snap, m.Tasks)
		if a.JSON {
			return printed, core.WriteJSON(a.Stdout, a.milestoneOf(snap, m))
		}
		row := core.FieldsTo(a.Stdout)
		fmt.Fprintf(a.Stdout, "%s  %s\n", visible.Line(m.Name), statusWords(m))
		row("id", m.ID)
		row("progress", fmt.Sprintf("%s  %d of %d", progressBar(m.Done, m.Total, 16), m.Done, m.Total))
		row("description", m.Description)
		for _, i := range m.Tasks {
			t := snap.At(int(i))
			fmt.Fprintln(a.Stdout, t.UID.Short()+"  "+a.StatusCell(snap, int(i))+"  "+core.Title(t))
		}
		return printed, nil
	})
}

// shownMilestone finds a milestone, also one that only tasks name.
func shownMilestone(snap *snapshot.Snapshot, ref string) (*snapshot.Milestoning, error) {
	list := snap.Milestones()
	found, err := snap.MilestoneFile().Find(ref)
	for k := range list {
		if err == nil && list[k].ID == found.ID || err != nil && list[k].Undefined && list[k].ID == ref {
			return &list[k], nil
		}
	}
	return nil, err
}

// milestoneFlags are the fields of a milestone.
type milestoneFlags struct {
	name, description, before string
}

func (f *milestoneFlags) add(c *cobra.Command, a *app, editing bool) {
	take := ""
	if editing {
		take = "; \"none\" clears it"
		c.Flags().StringVar(&f.name, "name", "", "the name")
	}
	c.Flags().StringVar(&f.description, "description", "", "the description"+take)
	c.Flags().StringVar(&f.before, "before", "", "move it before this milestone; last moves it to the end")
	_ = c.RegisterFlagCompletionFunc("before", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return a.completeMilestone(cmd, nil, typed)
	})
}

// edit is what the flags that were given say.
func (f *milestoneFlags) edit(c *cobra.Command, ms model.Milestones) (*model.MilestoneEdit, error) {
	e := &model.MilestoneEdit{}
	for _, x := range []struct {
		flag  string
		value *string
		to    **string
	}{{"name", &f.name, &e.Name}, {"description", &f.description, &e.Description}} {
		if !c.Flags().Changed(x.flag) {
			continue
		}
		value := *x.value
		if x.flag != "name" && strings.EqualFold(value, model.NoMilestone) {
			value = ""
		}
		*x.to = &value
	}
	if c.Flags().Changed("before") {
		before := ""
		if f.before != "last" {
			m, err := ms.Find(f.before)
			if err != nil {
				return nil, err
			}
			before = m.ID
		}
		e.Before = &before
	}
	return e, nil
}

func (a *app) milestoneCreate() *cobra.Command {
	var id string
	var f milestoneFlags
	c := &cobra.Command{
		Use: "create NAME", Aliases: []string{"new"}, Short: "Create a milestone and print its id",
		Example: "  vespe milestone create \"Public beta\" --description \"For all\"", Args: core.Between(1, 1),
	}
	c.Flags().StringVar(&id, "id", "", "the id (default: derived from the name)")
	f.add(c, a, false)
	return a.onMilestones(c, func(snap *snapshot.Snapshot, args []string) ([]model.Op, error) {
		e, err := f.edit(c, snap.MilestoneFile())
		if err != nil {
			return nil, err
		}
		e.ID, e.Name = id, &args[0]
		return []model.Op{{Name: model.CreateMilestone, Args: *e}}, nil
	}, true)
}

func (a *app) milestoneEdit() *cobra.Command {
	var f milestoneFlags
	c := &cobra.Command{
		Use: "edit MILESTONE", Short: "Change the name, description or position of a milestone",
		Example: "  vespe milestone edit public-beta --name \"First beta\"\n  vespe milestone edit public-beta --before cleanup",
		Args:    core.Between(1, 1), ValidArgsFunction: a.completeMilestone,
	}
	f.add(c, a, true)
	return a.onMilestones(c, func(snap *snapshot.Snapshot, args []string) ([]model.Op, error) {
		m, err := snap.MilestoneFile().Find(args[0])
		if err != nil {
			return nil, err
		}
		e, err := f.edit(c, snap.MilestoneFile())
		if err != nil {
			return nil, err
		}
		if *e == (model.MilestoneEdit{}) {
			return nil, core.Usagef("nothing to change: give --name, --description or --before")
		}
		e.ID = m.ID
		return []model.Op{{Name: model.EditMilestone, Args: *e}}, nil
	}, false)
}

func (a *app) milestoneRm() *cobra.Command {
	return a.onMilestones(&cobra.Command{
		Use: "rm MILESTONE", Aliases: []string{"remove"}, Short: "Remove a milestone, but not its tasks",
		Example: "  vespe milestone rm public-beta", Args: core.Between(1, 1), ValidArgsFunction: a.completeMilestone,
	}, func(snap *snapshot.Snapshot, args []string) ([]model.Op, error) {
		m, err := snap.MilestoneFile().Find(args[0])
		return []model.Op{{Name: model.RemoveMilestone, Args: model.MilestoneEdit{ID: m.ID}}}, err
	}, false)
}

func (a *app) milestoneAssign() *cobra.Command {
	return a.onMilestones(&cobra.Command{
		Use: "assign MILESTONE UID…", Short: "Add tasks and their subtasks to a milestone",
		Example: "  vespe milestone assign public-beta 3f9a1c 77c0de", Args: core.Between(2, core.AnyNumber),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return a.completeMilestone(cmd, args, typed)
			}
			return a.CompleteTask(core.AnyNumber)(cmd, args, typed)
		},
	}, func(snap *snapshot.Snapshot, args []string) ([]model.Op, error) {
		m, err := snap.MilestoneFile().Find(args[0])
		if err != nil {
			return nil, err
		}
		return assignments(snap, m.ID, args[1:])
	}, false)
}

func (a *app) milestoneUnassign() *cobra.Command {
	return a.onMilestones(&cobra.Command{
		Use: "unassign UID…", Short: "Remove tasks from their milestones",
		Example: "  vespe milestone unassign 3f9a1c", Args: core.Between(1, core.AnyNumber), ValidArgsFunction: a.CompleteTask(core.AnyNumber),
	}, func(snap *snapshot.Snapshot, args []string) ([]model.Op, error) {
		return assignments(snap, "", args)
	}, false)
}

func assignments(snap *snapshot.Snapshot, id string, refs []string) ([]model.Op, error) {
	uids, err := core.FindAll(snap, refs)
	if err != nil {
		return nil, err
	}
	ops := make([]model.Op, len(uids))
	for i, uid := range uids {
		ops[i] = model.Op{Name: model.AssignMilestone, UID: uid, Args: model.MilestoneEdit{ID: id}}
	}
	return ops, nil
}

// onMilestones lets c fire what ops makes as one transaction. made: what is printed is the id alone.
func (a *app) onMilestones(c *cobra.Command, ops func(*snapshot.Snapshot, []string) ([]model.Op, error), made bool) *cobra.Command {
	var f core.OpFlags
	f.AddOp(c)
	c.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		actor, s, snap, err := a.Begin(ctx)
		if err != nil {
			return err
		}
		ops, err := ops(snap, args)
		if err != nil {
			return err
		}
		for i := range ops {
			ops[i].Actor = actor
			if ops[i].ID = f.OpID; f.OpID != "" && i > 0 {
				ops[i].ID = fmt.Sprintf("%s.%d", f.OpID, i)
			}
		}
		if f.DryRun {
			return a.Preview(ctx, s, snap, ops...)
		}
		applied, err := s.DoAll(ctx, ops)
		if err != nil {
			return err
		}
		a.Wrote = true
		var uid model.UID
		if len(ops) == 1 {
			uid = ops[0].UID
		}
		if made && applied.Change != nil && applied.Change.Milestone != "" {
			return a.ReportMade(applied, uid, applied.Change.Milestone)
		}
		return a.Report(applied, uid)
	}
	return c
}

// completeMilestone offers ids with their names.
func (a *app) completeMilestone(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	_, snap, err := a.Load(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, m := range snap.MilestoneFile().List {
		if strings.HasPrefix(m.ID, typed) {
			out = append(out, m.ID+"\t"+visible.Line(m.Name))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
