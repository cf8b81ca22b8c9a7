package write

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

// needObject is a dependency that files suggest.
type needObject struct {
	UID       string   `json:"uid"`
	Name      string   `json:"name"`
	DependsOn string   `json:"depends_on"`
	OnName    string   `json:"on_name"`
	Files     []string `json:"files"`
	Cycle     []string `json:"cycle,omitempty"` // that it would close: it cannot be accepted
}

// clashObject is a file that several open tasks are about.
type clashObject struct {
	Kind  string   `json:"kind"` // creators, writers
	File  string   `json:"file"`
	Tasks []string `json:"tasks"`
}

type overlapsObject struct {
	Suggested []needObject  `json:"suggested"`
	Clashes   []clashObject `json:"clashes"`
}

func (a *app) suggestVerb() *cobra.Command {
	var accept, dryRun bool
	c := &cobra.Command{
		Use: "suggest [UID [ON]]", Short: "Suggest dependencies from files; --accept adds them",
		Long: "A task that modifies a file should wait for the open task that creates it. The output shows\n" +
			"all suggestions, those of one task, or one dependency. --accept adds them in one transaction,\n" +
			"except those that would close a cycle. Files that several tasks create, or modify without waiting\n" +
			"for each other, are listed too: vespe can't know which task comes first.",
		Example: "  vespe task dep suggest\n  vespe task dep suggest 3f9a1c --accept\n  vespe task dep suggest 3f9a1c 77c0de --accept",
		Args:    core.Between(0, 2), ValidArgsFunction: a.CompleteTask(2),
	}
	c.Flags().BoolVar(&accept, "accept", false, "add the suggested dependencies")
	c.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "with --accept: show what would happen, without changes")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if accept {
			return a.acceptNeeds(cmd.Context(), args, dryRun)
		}
		if dryRun {
			return core.Usagef("--dry-run needs --accept; see `vespe task dep suggest --help`")
		}
		s, err := a.Open()
		if err != nil {
			return err
		}
		return a.Look(cmd.Context(), s, false, args, func(_ context.Context, _ *store.Store, snap *snapshot.Snapshot, args []string) ([]model.UID, error) {
			needs, clashes, err := overlapsOf(snap, args)
			if err != nil {
				return nil, err
			}
			var printed []model.UID
			for _, n := range needs {
				printed = append(printed, snap.UID(int(n.Task)), snap.UID(int(n.On)))
			}
			for _, c := range clashes {
				printed = append(printed, core.UIDsOf(snap, c.Tasks)...)
			}
			return printed, a.printOverlaps(snap, needs, clashes)
		})
	}
	return c
}

// overlapsOf is what files say: of all tasks, of one, or of one dependency.
func overlapsOf(snap *snapshot.Snapshot, args []string) ([]snapshot.FileNeed, []snapshot.FileClash, error) {
	if len(args) == 0 {
		needs, clashes := snap.FileOverlaps()
		return needs, clashes, nil
	}
	uids, err := core.FindAll(snap, args)
	if err != nil {
		return nil, nil, err
	}
	i, _ := snap.Index(uids[0])
	needs, clashes := snap.FileOverlapsOf(i)
	if len(args) == 1 {
		return needs, clashes, nil
	}
	j, _ := snap.Index(uids[1])
	needs = slices.DeleteFunc(needs, func(n snapshot.FileNeed) bool { return int(n.Task) != i || int(n.On) != j })
	clashes = slices.DeleteFunc(clashes, func(c snapshot.FileClash) bool { return !slices.Contains(c.Tasks, int32(j)) }) //nolint:gosec // an index
	return needs, clashes, nil
}

func (a *app) acceptNeeds(ctx context.Context, args []string, dryRun bool) error {
	actor, s, snap, err := a.Begin(ctx)
	if err != nil {
		return err
	}
	needs, _, err := overlapsOf(snap, args)
	if err != nil {
		return err
	}
	ops, left := lifecycle.NeedOps(snap, needs, actor)
	var warnings []string
	for _, n := range left {
		warnings = append(warnings, "left out: "+needLine(snap, &n))
	}
	obj := core.ChangeObject{DryRun: dryRun, Summary: "no suggestion can be added", Changed: []string{}, Warnings: warnings}
	var said []string
	for _, op := range ops {
		t, _ := snap.Task(op.UID)
		said = append(said, fmt.Sprintf("let %q depend on %s", t.Config.Name, strings.Join(namesOf(snap, model.ArgsOf[model.DependencyEdit](&op).DependsOn), ", ")))
		obj.Changed = append(obj.Changed, string(op.UID))
	}
	if len(said) > 0 {
		obj.Summary = strings.Join(said, "; ")
	}
	if len(ops) > 0 && !dryRun {
		applied, err := s.DoAll(ctx, ops)
		if err != nil {
			return err
		}
		a.Wrote = true
		obj.Seq, obj.Warnings = applied.Seq, append(obj.Warnings, core.WarningsOf(applied)...)
	}
	if a.JSON {
		return core.WriteJSON(a.Stdout, obj)
	}
	for _, line := range said {
		if dryRun {
			line = "would " + line
		}
		fmt.Fprintln(a.Stdout, visible.Line(line))
	}
	if len(said) == 0 {
		fmt.Fprintln(a.Stdout, "No suggestion can be added.")
	}
	a.PrintWarnings(obj.Warnings)
	return nil
}

func namesOf(snap *snapshot.Snapshot, uids []model.UID) []string {
	out := make([]string, len(uids))
	for i, uid := range uids {
		t, _ := snap.Task(uid)
		out[i] = fmt.Sprintf("%q", t.Config.Name)
	}
	return out
}

// needLine is a suggestion in one line.
func needLine(snap *snapshot.Snapshot, n *snapshot.FileNeed) string {
	line := fmt.Sprintf("%q modifies %s, which %q creates", snap.Name(int(n.Task)), strings.Join(n.Files, ", "), snap.Name(int(n.On)))
	if n.Cycle != nil {
		line += "; waiting for it would close a cycle"
	}
	return line
}

func (a *app) printOverlaps(snap *snapshot.Snapshot, needs []snapshot.FileNeed, clashes []snapshot.FileClash) error {
	if a.JSON {
		obj := overlapsObject{Suggested: []needObject{}, Clashes: []clashObject{}}
		for _, n := range needs {
			obj.Suggested = append(obj.Suggested, needObject{
				UID: string(snap.UID(int(n.Task))), Name: snap.Name(int(n.Task)), DependsOn: string(snap.UID(int(n.On))), OnName: snap.Name(int(n.On)),
				Files: n.Files, Cycle: core.UIDStrings(n.Cycle),
			})
		}
		for _, c := range clashes {
			obj.Clashes = append(obj.Clashes, clashObject{string(c.Kind), c.File, core.UIDStrings(core.UIDsOf(snap, c.Tasks))})
		}
		return core.WriteJSON(a.Stdout, obj)
	}
	addable, w := 0, a.Prose(a.Stdout, 0)
	for _, n := range needs {
		fmt.Fprintf(w, "%s should wait for %s: %s\n", snap.UID(int(n.Task)).Short(), snap.UID(int(n.On)).Short(), visible.Line(needLine(snap, &n)))
		if n.Cycle == nil {
			addable++
		}
	}
	for _, c := range clashes {
		what := "create it"
		if c.Kind == snapshot.Writers {
			what = "modify it without waiting for each other"
		}
		fmt.Fprintf(w, "%s: %s %s\n", visible.Line(c.File), visible.Line(strings.Join(namesOf(snap, core.UIDsOf(snap, c.Tasks)), ", ")), what)
	}
	switch {
	case len(needs)+len(clashes) == 0:
		fmt.Fprintln(a.Stdout, "No suggestions, and no two open tasks share a file.")
	case addable > 0:
		fmt.Fprintln(a.Stdout, "Add them with --accept, or one with `vespe task dep add`.")
	}
	return nil
}

func (a *app) printDependencies(snap *snapshot.Snapshot, i int) error {
	t := snap.At(i)
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			DependsOn  []string `json:"depends_on"`
			Dependents []string `json:"dependents"`
		}{core.UIDStrings(t.DependsOn), core.IndexUIDs(snap, snap.Dependents(i))})
	}
	for _, d := range t.DependsOn {
		fmt.Fprintln(a.Stdout, "waits for  "+visible.Line(a.Reference(snap, d)))
	}
	for _, d := range snap.Dependents(i) {
		fmt.Fprintln(a.Stdout, "needed by  "+visible.Line(a.Reference(snap, snap.At(int(d)).UID)))
	}
	if len(t.DependsOn) == 0 && len(snap.Dependents(i)) == 0 {
		fmt.Fprintln(a.Stdout, "No dependencies, and no task depends on it.")
	}
	return nil
}
