package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vespe/interop/beads"
	"vespe/model"
	"vespe/model/visible"
	"vespe/store"
)

func (a *app) storeVerbs() []*cobra.Command {
	return []*cobra.Command{a.initVerb(), a.demoVerb(), a.importVerb(), a.doctorVerb(), a.verifyVerb(), a.gcVerb(), a.trustVerb(), a.versionVerb(), a.verbsVerb()}
}

func (a *app) initVerb() *cobra.Command {
	var nested bool
	c := &cobra.Command{
		Use: "init [DIR]", Short: "Make a store: .vespe/ in this directory",
		Example: "  vespe init\n  vespe init ~/project",
		GroupID: "store", Args: between(0, 1),
	}
	c.Flags().BoolVar(&nested, "nested", false, "also inside the directory of another store")
	c.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := a.start()
		if err != nil {
			return err
		}
		if len(args) == 1 {
			dir = absolute(dir, args[0])
		}
		if outer, err := store.Find(dir); err == nil && outer != dir && !nested {
			return &model.Refusal{
				Code: model.CodeRefused, Guard: "nested", Why: dir + " lies inside the store of " + outer,
				Hint: "use that one, or make another inside it: vespe init --nested",
			}
		}
		opt := a.options()
		opt.AllowNested = nested
		s, err := store.Init(dir, opt)
		if err != nil {
			return err
		}
		defer s.Close()
		a.remember(s, "init")
		if a.json {
			return writeJSON(a.Stdout, struct {
				Root string `json:"root"`
			}{s.Root()})
		}
		fmt.Fprintf(a.Stdout, "made %s/.vespe\nNext: vespe new NAME, then vespe to open the workbench.\n", visible.Line(s.Root()))
		return nil
	}
	return c
}

// interruptible cancels the context at ctrl+c instead of ending the process: for what
// takes a while, so that it can say what became of it. A second ctrl+c ends the process.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (a *app) importVerb() *cobra.Command {
	imp := &cobra.Command{
		Use: "import", Short: "Bring tasks from another system",
		Example: "  vespe import beads .beads/issues.jsonl",
		GroupID: "store", Args: between(0, 0), RunE: a.needsVerb,
	}
	var dryRun bool
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

func (a *app) printImport(r beads.Report, dryRun bool) error {
	if a.json {
		return writeJSON(a.Stdout, struct {
			Created    int             `json:"created"`
			Unchanged  int             `json:"unchanged"`
			DryRun     bool            `json:"dry_run,omitempty"`
			NotCarried []string        `json:"not_carried"`
			Problems   []problemObject `json:"problems"`
		}{r.Created, r.Unchanged, dryRun, append([]string{}, r.NotCarried...), append([]problemObject{}, problemObjects(r.Problems)...)})
	}
	verb := "imported"
	if dryRun {
		verb = "would import"
	}
	fmt.Fprintf(a.Stdout, "%s %d tasks; %d were here already\n", verb, r.Created, r.Unchanged)
	for _, line := range r.NotCarried {
		fmt.Fprintln(a.Stdout, "not carried: "+visible.Line(line))
	}
	a.printProblems(r.Problems[:min(maxProblems, len(r.Problems))])
	if more := len(r.Problems) - maxProblems; more > 0 {
		fmt.Fprintf(a.Stdout, "… and %d more lines with problems; --json lists them all\n", more)
	}
	return nil
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  vespe version --json",
		GroupID: "store", Args: between(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return writeJSON(a.Stdout, struct {
					Version string `json:"version"`
					Go      string `json:"go"`
					Format  int    `json:"format"`
				}{a.Version, runtime.Version(), store.Format})
			}
			fmt.Fprintf(a.Stdout, "vespe %s (%s)\n", a.Version, runtime.Version())
			return nil
		},
	}
}

// verbsVerb lists the verbs with their arguments: for scripts, and for the README, whose
// table it writes.
func (a *app) verbsVerb() *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use: "verbs", Short: "List every verb with its arguments", Example: "  vespe verbs --json",
		GroupID: "store", Args: between(0, 0),
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "as a Markdown table")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		type verb struct {
			Name  string   `json:"verb"`
			Use   string   `json:"use"`
			Short string   `json:"short"`
			Group string   `json:"group"`
			Flags []string `json:"flags"`
		}
		var verbs []verb
		for _, group := range cmd.Root().Groups() {
			for _, sub := range cmd.Root().Commands() {
				if sub.GroupID == group.ID {
					flags := []string{}
					sub.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name) })
					verbs = append(verbs, verb{sub.Name(), sub.Use, sub.Short, group.Title, flags})
				}
			}
		}
		if a.json {
			return writeJSON(a.Stdout, struct {
				Verbs []verb `json:"verbs"`
			}{verbs})
		}
		if markdown {
			fmt.Fprint(a.Stdout, "| verb | does |\n|---|---|\n")
		}
		for _, v := range verbs {
			if markdown {
				fmt.Fprintf(a.Stdout, "| `%s` | %s |\n", strings.ReplaceAll(v.Use, "|", "\\|"), v.Short)
			} else {
				fmt.Fprintln(a.Stdout, pad(v.Use, 40)+" "+v.Short)
			}
		}
		return nil
	}
	return c
}
