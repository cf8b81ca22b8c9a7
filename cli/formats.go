package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vespe/interop/beads"
	"vespe/interop/gitinternal"
	"vespe/interop/records"
	"vespe/interop/taskspec"
	"vespe/model"
	"vespe/model/visible"
)

// formats are what import and export know by --format.
func formats() []*records.Format {
	return []*records.Format{taskspec.Format(), gitinternal.Format()}
}

func formatNames() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name)
	}
	return names
}

func formatsHelp() string {
	return "Formats:\n" +
		"  tasks-spec    JSON of the TASKS specification, also a task a line;\n" +
		"                or the directory of its queue for people, data/hitl_queue\n" +
		"  git-internal  its Task objects as JSON"
}

func formatFlag(c *cobra.Command) *string {
	format := c.Flags().String("format", "", "what the tasks are written as: "+strings.Join(formatNames(), ", "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formatNames(), cobra.ShellCompDirectiveNoFileComp))
	return format
}

func formatNamed(name string) (*records.Format, error) {
	for _, f := range formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, usagef("there is no format %q; the formats are %s", name, strings.Join(formatNames(), ", "))
}

func (a *app) importVerb() *cobra.Command {
	imp := &cobra.Command{
		Use: "import", Short: "Bring tasks from another system",
		Long: "Import tasks that another system wrote. Their history comes along, approvals never do: a\n" +
			"plan is accepted here. What cannot be carried is listed and kept under spec.external. A\n" +
			"second import brings what changed there since, and leaves what was changed here.\n\n" + formatsHelp(),
		Example: "  vespe import --format tasks-spec tasks.json\n  vespe import beads .beads/issues.jsonl",
		GroupID: "store", Args: between(0, 1),
	}
	var dryRun bool
	format := formatFlag(imp)
	imp.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "say what would come and change nothing")
	imp.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			if err := between(0, 0)(cmd, args); err != nil {
				return err
			}
			return a.needsVerb(cmd, args)
		}
		f, err := formatNamed(*format)
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return usagef("say what to import: a file, or - for the standard input")
		}
		return a.importRecords(cmd.Context(), f, args[0], dryRun)
	}
	b := &cobra.Command{
		Use: "beads FILE|-", Short: "Import a beads issues.jsonl",
		Long: "Import a beads JSONL file: ids, titles, texts, status, priority, types, labels, parents,\n" +
			"dependencies, dates and authors become tasks with their history. Closed issues arrive\n" +
			"done and reviewed. What cannot be carried is listed. A second import changes nothing.",
		Example: "  vespe import beads .beads/issues.jsonl\n  bd export | vespe import beads -",
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importBeads(cmd.Context(), args[0], dryRun)
		},
	}
	b.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "say what would come and change nothing")
	imp.AddCommand(b)
	return imp
}

func (a *app) importBeads(ctx context.Context, name string, dryRun bool) error {
	actor, err := a.writer()
	if err != nil {
		return err
	}
	var in io.Reader = a.Stdin
	if name != "-" {
		file, err := os.Open(absolute(a.Dir, name))
		if err != nil {
			return usagef("%s", err)
		}
		defer file.Close()
		in = file
	}
	issues, problems := beads.Parse(name, in)
	ctx, stop := interruptible(ctx)
	defer stop()
	s, snap, err := a.loadFiles(ctx)
	if err != nil {
		return err
	}
	ops, report := beads.Ops(issues, beads.Options{Snapshot: snap, Actor: actor, Now: a.Now()})
	report.Problems = append(problems, report.Problems...)
	if !dryRun && len(ops) > 0 {
		applied, err := s.DoAll(ctx, ops)
		if err != nil {
			return err
		}
		a.wrote = true
		a.printWarnings(applied.Warnings)
	}
	if err := a.printImport(report, dryRun); err != nil {
		return err
	}
	if len(issues) == 0 && len(problems) > 0 {
		return &shown{exitFailed}
	}
	return nil
}

// maxProblems is how many problems of an import are printed; --json lists all.
const maxProblems = 20

func (a *app) printImport(r records.Report, dryRun bool) error {
	if a.json {
		return writeJSON(a.Stdout, struct {
			Created    int             `json:"created"`
			Updated    int             `json:"updated"`
			Unchanged  int             `json:"unchanged"`
			DryRun     bool            `json:"dry_run,omitempty"`
			NotCarried []string        `json:"not_carried"`
			Problems   []problemObject `json:"problems"`
		}{r.Created, r.Updated, r.Unchanged, dryRun, append([]string{}, r.NotCarried...), append([]problemObject{}, problemObjects(r.Problems)...)})
	}
	verb := "imported"
	if dryRun {
		verb = "would import"
	}
	updated := ""
	if r.Updated > 0 {
		updated = fmt.Sprintf(", %d updated", r.Updated)
	}
	fmt.Fprintf(a.Stdout, "%s %d tasks%s; %d were here already\n", verb, r.Created, updated, r.Unchanged)
	for _, line := range r.NotCarried {
		fmt.Fprintln(a.Stdout, "not carried: "+visible.Line(line))
	}
	a.printProblems(r.Problems[:min(maxProblems, len(r.Problems))])
	if more := len(r.Problems) - maxProblems; more > 0 {
		fmt.Fprintf(a.Stdout, "… and %d more lines with problems; --json lists them all\n", more)
	}
	return nil
}

// importRecords brings what is in a file, or in the standard input.
func (a *app) importRecords(ctx context.Context, f *records.Format, name string, dryRun bool) error {
	actor, err := a.writer()
	if err != nil {
		return err
	}
	list, problems, err := a.readRecords(f, name)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	s, snap, err := a.loadFiles(ctx)
	if err != nil {
		return err
	}
	var ops []model.Op
	report := records.Report{Problems: problems}
	if len(problems) == 0 {
		ops, report, err = f.Ops(list, records.Options{
			Snapshot: snap, Actor: actor, Now: a.Now(),
			Text: func(uid model.UID) (string, error) {
				c, err := s.Content(ctx, uid, model.Objective)
				return string(c.Body), err
			},
		})
		if err != nil {
			return err
		}
	}
	if !dryRun && len(ops) > 0 {
		applied, err := s.DoAll(ctx, ops)
		if err != nil {
			return err
		}
		a.wrote = true
		a.printWarnings(applied.Warnings)
	}
	if err := a.printImport(report, dryRun); err != nil {
		return err
	}
	if len(report.Problems) > 0 {
		return &shown{exitFailed}
	}
	return nil
}

// readRecords reads a file, the standard input, or a directory where the format has one.
func (a *app) readRecords(f *records.Format, name string) ([]records.Record, []model.Problem, error) {
	var in io.Reader = a.Stdin
	if name != "-" {
		file, err := os.Open(absolute(a.Dir, name))
		if err != nil {
			return nil, nil, usagef("%s", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			if f.Name != taskspec.Format().Name {
				return nil, nil, usagef("%s is a directory", name)
			}
			list, problems := taskspec.ReadQueue(name, os.DirFS(file.Name()))
			return list, problems, nil
		}
		in = file
	}
	list, problems := records.Read(name, in)
	return list, problems, nil
}

func (a *app) exportVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "export [UID…]", Short: "Write tasks as another system does",
		Long: "Print the tasks, or those named, as another system writes them. One that came from there is\n" +
			"printed as it came, with what changed since. What the format has no place for is listed on the\n" +
			"standard error.\n\n" + formatsHelp(),
		Example: "  vespe export --format tasks-spec > tasks.json\n  vespe export --format tasks-spec --lines 3f9a1c",
		GroupID: "store", Args: between(0, math.MaxInt),
	}
	format := formatFlag(c)
	lines := c.Flags().Bool("lines", false, "one task a line (JSONL) instead of a list")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if *format == "" {
			return usagef("say --format; the formats are %s", strings.Join(formatNames(), ", "))
		}
		f, err := formatNamed(*format)
		if err != nil {
			return err
		}
		if *lines && a.json {
			return usagef("--lines and --json do not go together")
		}
		return a.export(cmd.Context(), f, args, *lines)
	}
	return c
}

func (a *app) export(ctx context.Context, f *records.Format, refs []string, lines bool) error {
	s, snap, err := a.load(ctx)
	if err != nil {
		return err
	}
	var tasks []int
	for _, ref := range refs {
		uid, err := snap.Find(ref)
		if err != nil {
			return err
		}
		if i, ok := snap.Index(uid); ok {
			tasks = append(tasks, i)
		}
	}
	if len(refs) == 0 {
		for i := range snap.Len() {
			tasks = append(tasks, i)
		}
	}
	list, report, err := f.Export(ctx, s, snap, tasks)
	if err != nil {
		return err
	}
	raw := make([]json.RawMessage, len(list))
	for i, r := range list {
		raw[i] = model.ObjectField("", r).Value
	}
	if a.json {
		return writeJSON(a.Stdout, struct {
			Format     string            `json:"format"`
			Tasks      []json.RawMessage `json:"tasks"`
			NotCarried []string          `json:"not_carried"`
		}{f.Name, raw, append([]string{}, report.NotCarried...)})
	}
	for _, line := range report.NotCarried {
		fmt.Fprintln(a.Stderr, "not carried: "+visible.Line(line))
	}
	if !lines {
		return writeJSON(a.Stdout, raw)
	}
	for _, r := range raw {
		if _, err := fmt.Fprintln(a.Stdout, visible.JSON(string(r))); err != nil {
			return err
		}
	}
	return nil
}
