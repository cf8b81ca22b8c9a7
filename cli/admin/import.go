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
	"vespe/model/visible"
)

func (a *app) importVerb() *cobra.Command {
	imp := &cobra.Command{
		Use: "import [FILE|DIR|-]", Short: "Import tasks from another system",
		Long: "Import tasks from another system with their history, but without approvals: plans\n" +
			"must be accepted here. What vespe can't represent is listed and saved under spec.external.\n" +
			"Importing again brings later changes, and leaves alone what you have changed here.\n\n" + formatsHelp(func(f *records.Format) []string { return f.Reads }),
		Example: "  vespe store import --format tasks-spec tasks.json\n  vespe store import beads .beads/issues.jsonl",
		GroupID: "store", Args: core.Between(0, 1),
	}
	var dryRun, unchecked bool
	format := formatFlag(imp, formats())
	imp.Flags().BoolVar(&unchecked, "unchecked", false, "accept objects whose checksum doesn't match (git-internal)")
	imp.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be imported, without changes")
	imp.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			if err := core.Between(0, 0)(cmd, args); err != nil {
				return err
			}
			return a.NeedsVerb(cmd, args)
		}
		f, err := formatNamed(*format, formats())
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
			"reviewed tasks. What vespe can't represent is listed. Importing again brings later changes.",
		Example: "  vespe store import beads .beads/issues.jsonl\n  bd export | vespe store import beads -",
		Args:    core.Between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importRecords(cmd.Context(), beads.Format(), args[0], dryRun, false)
		},
	}
	b.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "show what would be imported, without changes")
	imp.AddCommand(b)
	return imp
}

// importRecords brings all that is in an input, or nothing where anything is wrong with it. Of a partial format it
// brings what is sound, and says how many lines are not.
func (a *app) importRecords(ctx context.Context, f *records.Format, name string, dryRun, unchecked bool) error {
	actor, err := a.Writer()
	if err != nil {
		return err
	}
	in, closeInput, err := a.input(name)
	if err != nil {
		return err
	}
	defer closeInput()
	ctx, stop := core.Interruptible(ctx)
	defer stop()
	s, snap, err := a.LoadFiles(ctx)
	if err != nil {
		return err
	}
	if f.Partial && in.Dir != nil {
		return core.Usagef("%s is a directory", name)
	}
	ops, report, err := f.Import(in, records.Options{
		Source: s, Unchecked: unchecked, Snapshot: snap, Actor: actor, Now: a.Now(),
		Text: func(uid model.UID) (string, error) {
			c, err := s.Content(ctx, uid, model.Objective)
			return string(c.Body), err
		},
	})
	if err != nil {
		return err
	}
	if !dryRun && len(ops) > 0 {
		applied, err := s.DoAll(ctx, ops)
		if err != nil {
			return err
		}
		a.Wrote = true
		a.PrintWarnings(applied.Warnings)
	}
	if err := a.printImport(report, dryRun); err != nil {
		return err
	}
	return a.unread(f, name, report.Problems)
}

// unread fails where anything could not be read. Of a partial format, a value that was not taken is no failure: it is
// listed, and its record came.
func (a *app) unread(f *records.Format, name string, problems []model.Problem) error {
	broken := 0
	for i := range problems {
		if !f.Partial || problems[i].Severity == model.Error {
			broken++
		}
	}
	if broken == 0 {
		return nil
	}
	if f.Partial && !a.JSON {
		fmt.Fprintf(a.Stderr, "%s of %s can't be read. Fix the file and import again: imported tasks stay as they are.\n",
			model.Plural(broken, "line", "lines"), visible.Line(name))
	}
	return &core.Shown{Code: core.ExitFailed}
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
	verb := "Imported"
	if dryRun {
		verb = "Would import"
	}
	updated := ""
	if r.Updated > 0 {
		updated = fmt.Sprintf(", %d updated", r.Updated)
	}
	fmt.Fprintf(a.Stdout, "%s %s%s; %d already existed\n", verb, model.Plural(r.Created, "task", "tasks"), updated, r.Unchanged)
	for _, line := range r.NotCarried {
		fmt.Fprintln(a.Stdout, "note: "+visible.Line(line))
	}
	a.PrintProblems(r.Problems[:min(maxProblems, len(r.Problems))])
	if more := len(r.Problems) - maxProblems; more > 0 {
		fmt.Fprintf(a.Stdout, "… and %d more lines with problems; --json lists them all\n", more)
	}
	return nil
}
