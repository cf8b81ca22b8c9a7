package admin

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"vespe/cli/core"
	"vespe/interop/beads"
	"vespe/interop/records"
	"vespe/model"
	"vespe/model/snapshot"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) importVerb() *cobra.Command {
	imp := &cobra.Command{
		Use: "import [FILE|DIR|-]", Short: "Import tasks from another system",
		Long: "Import tasks from another system with their history, but without approvals: plans\n" +
			"must be accepted here. What vespe can't represent is listed and saved under spec.external.\n" +
			"Importing again brings later changes, and leaves alone what you have changed here.\n\n" + formatsHelp(func(f *records.Format) []string { return f.Reads }) +
			"\n\nFor beads issues, use vespe store import beads FILE.",
		Example: "  vespe store import --format tasks-spec tasks.json\n  vespe store import beads .beads/issues.jsonl",
		GroupID: "store", Args: core.Between(0, 1),
	}
	var dryRun, unchecked bool
	format := formatFlag(imp)
	imp.Flags().BoolVar(&unchecked, "unchecked", false, "accept objects whose checksum doesn't match (git-internal)")
	imp.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be imported, without changes")
	imp.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			if err := core.Between(0, 0)(cmd, args); err != nil {
				return err
			}
			return a.NeedsVerb(cmd, args)
		}
		f, err := formatNamed(*format)
		if err != nil {
			return err
		}
		switch {
		case f.Seal == nil && unchecked:
			return core.Usagef("--unchecked works only with git-internal, not with %s", f.Name)
		case len(args) == 0:
			return core.Usagef("nothing to import: give a file, or - for standard input")
		}
		return a.importRecords(cmd.Context(), f, args[0], dryRun, unchecked)
	}
	b := &cobra.Command{
		Use: "beads FILE|-", Short: "Import a beads issues.jsonl",
		Long: "Import a beads JSONL file: ids, titles, texts, status, priority, types, labels, parents,\n" +
			"dependencies, dates and authors become tasks with their history. Closed issues become done,\n" +
			"reviewed tasks. What vespe can't represent is listed. Importing the same file again changes nothing.",
		Example: "  vespe store import beads .beads/issues.jsonl\n  bd export | vespe store import beads -",
		Args:    core.Between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importBeads(cmd.Context(), args[0], dryRun)
		},
	}
	b.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be imported, without changes")
	imp.AddCommand(b)
	return imp
}

// imported is what an import does to a store.
type imported struct {
	ops    []model.Op
	report records.Report
}

// bring reads an input, asks what it does to the store, and does it.
func (a *app) bring(ctx context.Context, name string, dryRun bool, ask func(records.Input, *store.Store, *snapshot.Snapshot, model.Actor) (imported, error)) (records.Report, error) {
	actor, err := a.Writer()
	if err != nil {
		return records.Report{}, err
	}
	in, closeInput, err := a.input(name)
	if err != nil {
		return records.Report{}, err
	}
	defer closeInput()
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	s, snap, err := a.LoadFiles(ctx)
	if err != nil {
		return records.Report{}, err
	}
	out, err := ask(in, s, snap, actor)
	if err != nil {
		return out.report, err
	}
	if !dryRun && len(out.ops) > 0 {
		applied, err := s.DoAll(ctx, out.ops)
		if err != nil {
			return out.report, err
		}
		a.Wrote = true
		a.PrintWarnings(applied.Warnings)
	}
	return out.report, a.printImport(out.report, dryRun)
}

// input opens a file, a directory or, as -, the standard input.
func (a *app) input(name string) (in records.Input, done func(), err error) {
	in.Name, in.File, done = name, a.Stdin, func() {}
	if name == "-" {
		return in, done, nil
	}
	path := core.Absolute(a.Dir, name)
	file, err := os.Open(path)
	if err != nil {
		return in, done, core.Usagef("%s", err)
	}
	in.File, done = io.Reader(file), func() { _ = file.Close() }
	if info, err := file.Stat(); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path) // what is in it may lead out of it
		if err != nil {
			done()
			return in, func() {}, core.Usagef("%s", err)
		}
		in.File, in.Dir = nil, root.FS()
		return in, func() { _, _ = file.Close(), root.Close() }, nil
	}
	return in, done, nil
}

// importBeads brings the issues that can be read, and says which lines cannot.
func (a *app) importBeads(ctx context.Context, name string, dryRun bool) error {
	broken := 0
	_, err := a.bring(ctx, name, dryRun, func(in records.Input, _ *store.Store, snap *snapshot.Snapshot, by model.Actor) (imported, error) {
		if in.Dir != nil {
			return imported{}, core.Usagef("%s is a directory", name)
		}
		issues, problems := beads.Parse(name, in.File)
		ops, report := beads.Ops(issues, beads.Options{Snapshot: snap, Actor: by, Now: a.Now()})
		report.Problems = append(problems, report.Problems...)
		for i := range problems {
			if problems[i].Severity == model.Error {
				broken++
			}
		}
		return imported{ops, report}, nil
	})
	if err != nil || broken == 0 { // a value that was not taken is listed, and its issue came
		return err
	}
	if !a.JSON {
		fmt.Fprintf(a.Stderr, "%s of %s can't be read. Fix the file and import again: imported tasks stay as they are.\n",
			core.Counted(broken, "line", "lines"), visible.Line(name))
	}
	return &core.Shown{Code: core.ExitFailed}
}

// importRecords brings all that is in an input, or nothing where anything is wrong with it.
func (a *app) importRecords(ctx context.Context, f *records.Format, name string, dryRun, unchecked bool) error {
	report, err := a.bring(ctx, name, dryRun, func(in records.Input, s *store.Store, snap *snapshot.Snapshot, by model.Actor) (imported, error) {
		list, problems := f.Records(in)
		if len(problems) > 0 {
			return imported{report: records.Report{Problems: problems}}, nil
		}
		ops, report, err := f.Ops(list, records.Options{
			Source: s, Unchecked: unchecked, Snapshot: snap, Actor: by, Now: a.Now(),
			Text: func(uid model.UID) (string, error) {
				c, err := s.Content(ctx, uid, model.Objective)
				return string(c.Body), err
			},
		})
		return imported{ops, report}, err
	})
	if err == nil && len(report.Problems) > 0 {
		return &core.Shown{Code: core.ExitFailed}
	}
	return err
}

// maxProblems is how many problems of an import are printed; --json lists all.
const maxProblems = 20

func (a *app) printImport(r records.Report, dryRun bool) error {
	if a.JSON {
		return core.WriteJSON(a.Stdout, struct {
			Created    int                  `json:"created"`
			Updated    int                  `json:"updated"`
			Unchanged  int                  `json:"unchanged"`
			DryRun     bool                 `json:"dry_run,omitempty"`
			NotCarried []string             `json:"not_carried"`
			Problems   []core.ProblemObject `json:"problems"`
		}{r.Created, r.Updated, r.Unchanged, dryRun, append([]string{}, r.NotCarried...), append([]core.ProblemObject{}, core.ProblemObjects(r.Problems)...)})
	}
	verb := "imported"
	if dryRun {
		verb = "would import"
	}
	updated := ""
	if r.Updated > 0 {
		updated = fmt.Sprintf(", %d updated", r.Updated)
	}
	fmt.Fprintf(a.Stdout, "%s %d tasks%s; %d already existed\n", verb, r.Created, updated, r.Unchanged)
	for _, line := range r.NotCarried {
		fmt.Fprintln(a.Stdout, "note: "+visible.Line(line))
	}
	a.PrintProblems(r.Problems[:min(maxProblems, len(r.Problems))])
	if more := len(r.Problems) - maxProblems; more > 0 {
		fmt.Fprintf(a.Stdout, "… and %d more lines with problems; --json lists them all\n", more)
	}
	return nil
}
