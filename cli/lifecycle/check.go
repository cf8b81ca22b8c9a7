package lifecycle

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// checkVerb is that of the table's row, which without a task is for all of them.
func (a *app) checkVerb(t model.Transition) *cobra.Command {
	c := a.transitionVerb(t)
	one := c.RunE
	c.Use, c.Args = "[UID]", core.Between(0, 1)
	c.Short = "Check one task, or all, for changes since acceptance"
	c.Long += "\n\n" +
		"Without a task it checks all accepted tasks that are not final. It marks those that changed, unmarks those\n" +
		"that match their acceptance again, and lists changed and stuck tasks."
	c.Example += "\n  " + t.Name.Command() + " --dry-run"
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return one(cmd, args)
		}
		dryRun, _ := cmd.Flags().GetBool("dry-run")
		for _, flag := range []string{"op-id", "if-revision"} {
			if cmd.Flags().Changed(flag) {
				return core.Usagef("--%s needs the UID of a task", flag)
			}
		}
		return a.checkAll(cmd.Context(), dryRun)
	}
	return c
}

// checkedObject is `check --json` without a task.
type checkedObject struct {
	DryRun    bool                  `json:"dry_run,omitempty"`
	Seq       uint64                `json:"seq,omitempty"`
	Marked    []string              `json:"marked"`  // that check has marked, or would
	Cleared   []string              `json:"cleared"` // whose marks it has taken back
	Changed   []changedTask         `json:"changed"` // all that are changed
	Deadlocks []core.DeadlockObject `json:"deadlocks"`
	Warnings  []string              `json:"warnings,omitempty"`
}

type changedTask struct {
	UID   string            `json:"uid"`
	Name  string            `json:"name"`
	Files []core.DiffObject `json:"files"` // was and now as hashes; "" is nothing
}

func (a *app) checkAll(ctx context.Context, dryRun bool) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	o := checkedObject{DryRun: dryRun, Marked: []string{}, Cleared: []string{}, Changed: []changedTask{}}
	var found []model.UID
	var after *snapshot.Snapshot
	if dryRun {
		if found, err = s.Outdated(ctx, nil); err != nil {
			return err
		}
		after = a.asChecked(ctx, s, snap, found)
	} else {
		var applied snapshot.Applied
		if found, applied, err = s.CheckAll(ctx, nil, actor); err != nil {
			return err
		}
		o.Seq, o.Warnings = applied.Seq, core.WarningsOf(applied)
		if applied.Snapshot != nil {
			a.Wrote, after = true, applied.Snapshot
		} else if after, err = s.Refresh(ctx); err != nil {
			return err
		}
	}
	for _, uid := range found {
		if t, ok := after.Task(uid); ok && len(after.Changes(t)) == 0 {
			o.Cleared = append(o.Cleared, string(uid))
			continue
		}
		o.Marked = append(o.Marked, string(uid))
	}
	for i := range after.Len() {
		if after.Status(i) != model.StatusChanged {
			continue
		}
		t := after.At(i)
		o.Changed = append(o.Changed, changedTask{UID: string(t.UID), Name: t.Config.Name, Files: core.ChangesOf(after, t)})
	}
	o.Deadlocks = core.DeadlocksOf(after)
	if a.JSON {
		return core.WriteJSON(a.Stdout, o)
	}
	a.printChecked(after, &o)
	return nil
}

// asChecked is the store as check would leave it.
func (a *app) asChecked(ctx context.Context, s *store.Store, snap *snapshot.Snapshot, uids []model.UID) *snapshot.Snapshot {
	w := a.World(ctx, snap, s)
	for _, uid := range uids {
		ch, err := lifecycle.Apply(w, model.Op{Name: model.Check, UID: uid, Actor: "system:vespe", ID: "dry-run", At: a.Now()})
		if err == nil {
			snap = snap.With(snap.Seq(), snap.Head(), ch.Tasks, nil)
		}
	}
	return snap
}

func (a *app) printChecked(snap *snapshot.Snapshot, o *checkedObject) {
	w := a.Prose(a.Stdout, 0)
	name := func(uid string) string {
		if t, ok := snap.Task(model.UID(uid)); ok {
			return core.Title(t) + "  " + t.UID.Short()
		}
		return visible.Line(uid)
	}
	for _, uid := range o.Cleared {
		fmt.Fprintln(w, "Matches its acceptance again: "+name(uid))
	}
	for _, c := range o.Changed {
		fmt.Fprintln(w, "Changed: "+name(c.UID))
		for _, f := range c.Files {
			fmt.Fprintf(w, "  %s: %s → %s\n", visible.Line(model.FileOf(snap, f.File)), core.ShortHash(f.Was), core.ShortHash(f.Now))
		}
	}
	if len(o.Changed) > 0 {
		fmt.Fprintln(w, "`vespe plan diff UID --approved` shows the difference. Then revalidate or replan the task.")
	} else {
		fmt.Fprintln(w, "Nothing has changed since acceptance.")
	}
	a.PrintDeadlocks(snap, core.MostCauses)
	a.PrintWarnings(o.Warnings)
}
